/**
 * The crowd: a fixed number of purchase requests over a fixed number of connections, sent by autocannon. Each request
 * is sent once; what failed stays failed and is counted.
 */
import autocannon from 'autocannon'
import { nowMs } from './moment.ts'

export interface Crowd {
  readonly url: string
  readonly requests: number
  readonly connections: number
  /** After so long the crowd goes home; what was not answered by then is unfinished. */
  readonly secondsMax?: number
  /** Called with the number of answers so far. */
  readonly onProgress: (answers: number) => void
}

export interface Rush {
  /** Answered by a server with 200: sold a piece, or sold out. */
  readonly served: number
  /** Answered 502: the server died with the request. */
  readonly cut: number
  /** Any other answer, and connections that failed. */
  readonly failed: number
  readonly seconds: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Longer than the longest wait of any act, so that the crowd never gives up before the servers do. */
const TIMEOUT_S = 40

export function rush({ url, requests, connections, secondsMax, onProgress }: Crowd): Promise<Rush> {
  return new Promise((resolve, reject) => {
    const startAtMs = nowMs()
    let endAtMs = startAtMs
    let answers = 0
    const options = { url: `${url}/buy`, method: 'POST', amount: requests, timeout: TIMEOUT_S } as const
    const crowd = autocannon(
      { ...options, connections: Math.min(connections, requests), sampleInt: 100 },
      (error: unknown, result) => {
        if (error) return reject(error instanceof Error ? error : new Error(String(error)))
        const served = result['2xx']
        const cut = result.statusCodeStats?.['502']?.count ?? 0
        const { p50: p50Ms, p99: p99Ms } = result.latency
        const seconds = (endAtMs - startAtMs) / 1000
        clearTimeout(goHome)
        const failed = result.non2xx - cut + result.errors
        resolve({ served, cut, failed, seconds, requestsPerSecond: answers / seconds, p50Ms, p99Ms })
      },
    )
    const goHome = secondsMax === undefined ? undefined : setTimeout(() => crowd.stop(), secondsMax * 1000)
    crowd.on('response', () => {
      answers += 1
      endAtMs = nowMs()
      onProgress(answers)
    })
  })
}
