/** A store to lock in, from `memory()`, `sqlite(file)`, … */
interface Backend {
  readonly kind: string;
}

/** The part of ioredis that is used; `Redis` and `Cluster` have it. */
interface Ioredis {
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options?: object;
  connect(): Promise<unknown>;
  disconnect(): void;
  duplicate(): Ioredis;
  evalsha(sha: string, keys: number, ...args: string[]): Promise<unknown>;
  eval(text: string, keys: number, ...args: string[]): Promise<unknown>;
  call(command: string, ...args: string[]): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  on(event: string, listener: (first: string, second: string) => void): unknown;
  off(event: string, listener: (first: string, second: string) => void): unknown;
}

type RedisClient = Ioredis;
declare function redis(client: RedisClient): Backend;

export { type Backend, RedisClient, redis };
