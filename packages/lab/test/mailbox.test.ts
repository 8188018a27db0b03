/** Messages between a measurement and its child, without a child. */
import { expect, test } from 'vitest'
import { mailbox } from '../src/bench/job.ts'

test('messages are taken in the order in which they came, before or after they are asked for', async () => {
  const box = mailbox()
  const early = box.take()
  box.put('a')
  box.put('b')
  box.put('c')
  expect([await early, await box.take(), await box.take()]).toEqual(['a', 'b', 'c'])
})

test('when the sender is gone what it said can still be taken, and then each take fails', async () => {
  const box = mailbox()
  box.put('last words')
  box.shut(new Error('gone'))
  expect(await box.take()).toBe('last words')
  await expect(box.take()).rejects.toThrow('gone')
})

test('one who waits is told when the sender is gone', async () => {
  const box = mailbox()
  const waiting = box.take()
  box.shut(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
})
