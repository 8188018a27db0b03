/**
 * The protocol of Redis, as far as set-up, assertions and the proxy need it: requests, and answers of version 2. Written
 * here so that a test of a client never rests on a client.
 */
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** An answer; an error inside of an array is the object, one that is the whole answer is thrown. */
export type Reply = string | number | null | ReplyError | Reply[]

/** What the server refused, in its own words: the first word tells the kind. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError'
}

export interface Address {
  readonly host: string
  readonly port: number
  readonly username?: string
  readonly password?: string
  /** The certificate to trust, as text; its presence means TLS. */
  readonly ca?: string
}

export interface Decoded {
  readonly reply: Reply
  /** The first byte behind it. */
  readonly end: number
}

const LINE_END = '\r\n'

export function encode(request: readonly (string | number)[]): string {
  const parts = request.map((part) => `$${Buffer.byteLength(String(part))}${LINE_END}${part}${LINE_END}`)
  return `*${request.length}${LINE_END}${parts.join('')}`
}

/** Reads one answer or request that begins at `start`; null while its end has not come yet. */
export function decode(bytes: Buffer, start: number): Decoded | null {
  const lineEnd = bytes.indexOf(LINE_END, start)
  if (lineEnd < 0) return null
  const kind = bytes.toString('latin1', start, start + 1)
  const line = bytes.toString('utf8', start + 1, lineEnd)
  const next = lineEnd + LINE_END.length
  switch (kind) {
    case '+':
      return { reply: line, end: next }
    case '-':
      return { reply: new ReplyError(line), end: next }
    case ':':
      return { reply: Number(line), end: next }
    case '$':
      return decodeText(bytes, next, Number(line))
    case '*':
      return decodeList(bytes, next, Number(line))
    default:
      throw new Error(`no answer of Redis begins with ${JSON.stringify(kind)}`)
  }
}

function decodeText(bytes: Buffer, start: number, length: number): Decoded | null {
  if (length < 0) return { reply: null, end: start }
  const end = start + length
  if (bytes.length < end + LINE_END.length) return null
  return { reply: bytes.toString('utf8', start, end), end: end + LINE_END.length }
}

function decodeList(bytes: Buffer, start: number, count: number): Decoded | null {
  if (count < 0) return { reply: null, end: start }
  const list: Reply[] = []
  let end = start
  for (let index = 0; index < count; index += 1) {
    const item = decode(bytes, end)
    if (item === null) return null
    list.push(item.reply)
    end = item.end
  }
  return { reply: list, end }
}

/**
 * Sends requests over a connection of their own, together, and resolves with as many answers.
 *
 * @throws {ReplyError} the server refused one of them
 */
export async function exchange(
  address: Address,
  requests: readonly (readonly (string | number)[])[],
  limitMs = 5_000,
): Promise<readonly Reply[]> {
  const { username = 'default', password } = address
  const login = password === undefined ? [] : [['AUTH', username, password]]
  const replies = await send(address, [...login, ...requests], limitMs)
  for (const reply of replies) if (reply instanceof ReplyError) throw reply
  return replies.slice(login.length)
}

function send(
  address: Address,
  requests: readonly (readonly (string | number)[])[],
  limitMs: number,
): Promise<readonly Reply[]> {
  const { host, port, ca } = address
  return new Promise((resolve, reject) => {
    const socket: Socket = ca === undefined ? connectTcp({ host, port }) : connectTls({ host, port, ca })
    const replies: Reply[] = []
    let bytes = Buffer.alloc(0)
    const finish = (error?: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      if (error === undefined) resolve(replies)
      else reject(error)
    }
    const timer = setTimeout(() => finish(new Error(`no answer on port ${port} within ${limitMs} ms`)), limitMs)
    socket.on('error', finish)
    socket.on('close', () => finish(new Error(`port ${port} closed the connection`)))
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      for (let got = decode(bytes, 0); got !== null; got = decode(bytes, 0)) {
        replies.push(got.reply)
        bytes = bytes.subarray(got.end)
        if (replies.length === requests.length) return finish()
      }
    })
    socket.write(requests.map(encode).join(''))
  })
}
