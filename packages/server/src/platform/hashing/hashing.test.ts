import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hash, verify } from './index.ts'

const settings = { memoryCost: 1024, timeCost: 1, parallelism: 1 }

test('passwords are hashed, and compared with their hash', async () => {
  const [one, other] = await Promise.all([hash('one', settings), hash('other', settings)])
  expect(one).toMatch(/^\$argon2id\$v=19\$m=1024,t=1,p=1\$/)
  const fits = await Promise.all([verify(one, 'one'), verify(one, 'other'), verify(other, 'other')])
  expect(fits).toEqual([true, false, true])
})

test('what is no hash is an error of its own, and the next comparison works', async () => {
  const [broken, right] = await Promise.allSettled([
    verify('$argon2id$broken', 'one'),
    hash('one', settings).then((encoded) => verify(encoded, 'one')),
  ])
  expect(broken).toMatchObject({ status: 'rejected', reason: expect.any(Error) })
  expect(right).toEqual({ status: 'fulfilled', value: true })
})

test.runIf(process.platform === 'linux')('hashing comes after the rest of the server', async () => {
  await hash('one', settings)
  // Niceness is field 19 of a thread; its name, the second field, may hold spaces.
  const niceness = readdirSync('/proc/self/task').map((thread) =>
    Number(
      readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[16],
    ),
  )
  expect(niceness).toContain(10)
  expect(Math.min(...niceness)).toBeLessThan(10)
})
