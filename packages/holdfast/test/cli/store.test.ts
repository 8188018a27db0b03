/** Where the default store lives, and how a store is named to people. */
import { describe, expect, test } from 'vitest'
import { stateFolder } from '../../src/cli/state-folder.ts'
import { withoutSecrets } from '../../src/cli/store.ts'

const on = (platform: NodeJS.Platform, environment: Record<string, string> = {}, home = '/h/ann') =>
  stateFolder({ platform, environment, home })

describe('the state folder', () => {
  test('on Linux is that of XDG', () => {
    expect(on('linux')).toBe('/h/ann/.local/state/holdfast')
    expect(on('linux', { XDG_STATE_HOME: '/var/s' })).toBe('/var/s/holdfast')
    expect(on('linux', { XDG_STATE_HOME: '' })).toBe('/h/ann/.local/state/holdfast')
  })

  test('ignores a relative XDG_STATE_HOME, as the specification says', () => {
    expect(on('linux', { XDG_STATE_HOME: 'state' })).toBe('/h/ann/.local/state/holdfast')
  })

  test('on macOS is in the library', () => {
    expect(on('darwin')).toBe('/h/ann/Library/Application Support/holdfast')
  })

  test('on Windows is local to the machine', () => {
    expect(on('win32', { LOCALAPPDATA: 'C:\\L' }, 'C:\\ann')).toBe('C:\\L\\holdfast')
    expect(on('win32', {}, 'C:\\ann')).toBe('C:\\ann\\AppData\\Local\\holdfast')
  })
})

test.each([
  ['sqlite:/var/a.db', 'sqlite:/var/a.db'],
  ['redis://h:1/2', 'redis://h:1/2'],
  ['redis://ann@h', 'redis://ann@h'],
  ['redis://ann:pw@h:1/2', 'redis://ann:***@h:1/2'],
  ['redis://:pw@h', 'redis://:***@h'],
  ['redis://ann:p@w/x?#@h', 'redis://ann:***@h'],
  ['mysql://h/db?user=a&password=pw&x=1', 'mysql://h/db?user=a&password=***&x=1'],
  ['postgres://h?sslkey=pw#x', 'postgres://h?sslkey=***#x'],
  ['cannot reach redis://ann:pw@h now', 'cannot reach redis://ann:***@h now'],
])('%s is shown as %s', (url, shown) => {
  expect(withoutSecrets(url)).toBe(shown)
})
