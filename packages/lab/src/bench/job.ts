/**
 * The child's side of a measurement: jobs that run in processes of their own. A job talks with the parent in messages
 * of its own choosing, and its process ends with the parent or with the job.
 */

export interface Parent {
  say(message: unknown): void
  /** The next message of the parent. */
  hear(): Promise<unknown>
}

/** Does the job; what it gives is said to the parent as its last message. */
export type Job = (input: unknown, parent: Parent) => Promise<unknown>

export async function work(jobs: Readonly<Record<string, Job>>, name: string, input: unknown): Promise<void> {
  const job = jobs[name]
  if (job === undefined) throw new RangeError(`no job is called ${JSON.stringify(name)}`)
  process.once('disconnect', () => process.exit(1))
  const box = mailbox()
  process.on('message', box.put)
  const say = (message: unknown, then: () => void = () => {}): void => void process.send?.(message, then)
  say(await job(input, { say, hear: box.take }), () => process.exit(0))
}

export interface Mailbox {
  put(message: unknown): void
  take(): Promise<unknown>
  /** Every take from now on fails with this reason, once the messages that came before are taken. */
  shut(reason: Error): void
}

export function mailbox(): Mailbox {
  const messages: unknown[] = []
  let waiting: PromiseWithResolvers | null = null
  let end: Error | null = null
  return {
    put(message) {
      if (waiting === null) messages.push(message)
      else waiting.resolve(message)
      waiting = null
    },
    take() {
      if (messages.length > 0) return Promise.resolve(messages.shift())
      if (end !== null) return Promise.reject(end)
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
      })
    },
    shut(reason) {
      end = reason
      waiting?.reject(reason)
      waiting = null
    },
  }
}

interface PromiseWithResolvers {
  resolve(value: unknown): void
  reject(reason: Error): void
}
