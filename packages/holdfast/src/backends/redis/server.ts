/** What is to be known of a server before locks are kept there: that it is new enough, and that it throws nothing away. */
import { BackendRefusedError } from '../../errors.ts'
import type { Wire } from './wire.ts'

const MAJOR_MIN = 7

/**
 * Gives what is to be warned about. A server that does not let us look is taken as it is.
 *
 * @throws {BackendRefusedError} it is too old; names the version
 */
export async function lookAt(wire: Wire): Promise<readonly { readonly code: string; readonly message: string }[]> {
  const info = await wire.info('default').catch(() => '')
  const said = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
  const version = said('redis_version')
  if (version !== '' && Number.parseInt(version, 10) < MAJOR_MIN) {
    throw new BackendRefusedError(`the Redis server will not do it: it is Redis ${version}, and 7.0 is needed`)
  }
  const policy = said('maxmemory_policy')
  if (Number(said('maxmemory')) === 0 || policy === '' || policy === 'noeviction') return []
  const message = `the Redis server has a maxmemory and the policy ${policy}, so it may throw locks away: set noeviction`
  return [{ code: 'eviction', message }]
}
