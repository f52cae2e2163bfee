import { strToU8, zipSync } from 'fflate'
import { beforeAll, expect, test } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../../test/kit.ts'
import { heldBy, heldMsMax } from '../../../../test/loopWatch.ts'
import { Reader, readerLimits } from '../../../platform/reader/index.ts'
import { repositoryTask } from './task.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app)
})

const archive = (entries: Record<string, string>) =>
  new File(
    [
      zipSync(Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, strToU8(text)])), {
        level: 9,
      }),
    ],
    'repository.zip',
  )
const head = 'name: D\nfirmwareVersions:\n'
/** A text that takes seconds to read; packed it has hardly 500 bytes. */
const slow = `${head}  [${'[],'.repeat(100_000)}]`
const laughs = `${head}  - {}\nl0: &l0 [x, x, x, x, x, x, x, x, x, x]\n${Array.from(
  { length: 9 },
  (_, n) => `l${n + 1}: &l${n + 1} [${Array(10).fill(`*l${n}`).join(', ')}]\n`,
).join('')}`

test.each([
  ['of one file that takes seconds', { 'acme/a.yaml': slow }],
  ['of many keys', { 'acme/a.yaml': head + Array.from({ length: 60_000 }, (_, n) => `k${n}: 1`).join('\n') }],
  ['of references to references', { 'acme/a.yaml': laughs }],
  ['of deep nesting', { 'acme/a.yaml': `${head}${'- '.repeat(200_000)}x` }],
  [
    'of TOML',
    {
      'v/devices/a.toml': `[device]\n${Array.from({ length: 60_000 }, (_, n) => `a.b${n}.c = 1`).join('\n')}`,
    },
  ],
])('an archive %s holds up nobody', { timeout: 90_000 }, async (_, entries) => {
  const file = archive(entries)
  const read = () =>
    app.api.devicedrivers.import({ file, accountId: account.id }).then(
      ({ items }) => expect(items[0]?.state).toBe('unusable'),
      (error: { code: string }) => expect(['FILE_TOO_DEMANDING', 'OVERLOADED']).toContain(error.code),
    )
  expect(await heldBy(read)).toBeLessThan(heldMsMax)
})

test('who takes too long is refused, and sees it among the limits', async () => {
  await using reader = new Reader({
    log: app.ctx.log,
    limitHits: app.ctx.limitHits,
    limits: { ...readerLimits, timeMs: 3_000 },
  })
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`acme/${n}.yaml`, slow]))
  const file = archive(many)
  const read = async () => {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const reading = reader.read(repositoryTask, { bytes, accountId: account.id, input: null })
    await expect(reading).rejects.toMatchObject({ code: 'FILE_TOO_DEMANDING' })
  }
  expect(await heldBy(read)).toBeLessThan(heldMsMax)
  await app.ctx.limitHits.write()
  const noted = await app.ctx.db
    .selectFrom('limit_hits')
    .select(['limit', 'detail'])
    .where('account_id', '=', account.id)
    .execute()
  expect(noted).toContainEqual({ limit: 'files', detail: 'driver repository' })
})
