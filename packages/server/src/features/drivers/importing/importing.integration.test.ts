import { strToU8, zipSync } from 'fflate'
import { beforeAll, expect, test } from 'vitest'
import { createAccount, errorOf, startApp, type TestApp } from '../../../../test/kit.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app)
})

const archive = (entries: Record<string, string>) =>
  new File(
    [zipSync(Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, strToU8(text)])))],
    'repository.zip',
  )
const device = (name: string, codec: string) =>
  `name: ${name}\nfirmwareVersions:\n  - profiles: { EU863-870: { codec: ${codec} } }\n`
/** Sloppy on purpose: an undeclared variable, as many published decoders have one. */
const decoder = `function decodeUplink(input) {
  sum = 0
  for (index in input.bytes) sum += input.bytes[index]
  return { data: { sum: sum, port: input.fPort }, warnings: [] }
}
function encodeDownlink() { return { bytes: [1], fPort: 1 } }`

const repository = archive({
  'vendor/index.yaml': 'vendors: [{ id: acme, name: Acme }]',
  'vendor/acme/sum.yaml': device('Sum', 'sum-codec'),
  'vendor/acme/sum-codec.yaml': `uplinkDecoder:
  fileName: sum.js
  examples:
    - description: as published
      input: { fPort: 2, bytes: [1, 2, 3] }
      output: { data: { sum: 6, port: 2 } }
    - description: published wrongly
      input: { fPort: 2, bytes: [1, 2] }
      output: { data: { sum: 4, port: 2 } }
    - description: an error
      input: { fPort: 9, bytes: [] }
      output: { errors: [empty] }
downlinkEncoder: { fileName: sum.js }
`,
  'vendor/acme/sum.js': decoder,
  'vendor/acme/broken.yaml': device('Broken', 'broken-codec'),
  'vendor/acme/broken-codec.yaml': 'uplinkDecoder: { fileName: broken.js }',
  'vendor/acme/broken.js': 'function decodeUplink( {',
  'vendor/acme/gone.yaml': device('Gone', 'gone-codec'),
})

test('a look at an archive says what can be taken and makes nothing; what is chosen becomes a driver', async () => {
  const input = { file: repository, accountId: account.id }
  const looked = await app.api.devicedrivers.import(input)
  expect(looked.items).toMatchObject([
    { key: 'acme/broken', state: 'unusable', problem: { code: 'SCRIPT_SYNTAX' } },
    { key: 'acme/gone', state: 'unusable', problem: { code: 'fileMissing' } },
    {
      key: 'acme/sum',
      title: 'Acme Sum',
      state: 'ready',
      golden: 1,
      unusable: 1,
      differing: 1,
      script: 'vendor/acme/sum.js',
      encoder: true,
      driverId: null,
      differences: [
        {
          title: 'published wrongly',
          error: null,
          differences: [{ key: 'sum', expected: 4, actual: 3 }],
        },
      ],
    },
  ])
  const own = { accountIds: [account.id] }
  expect((await app.api.devicedrivers.list(own)).total).toBe(0)

  const { items } = await app.api.devicedrivers.import({ ...input, keys: 'acme/sum\nacme/broken' })
  expect(items.map(({ state }) => state)).toEqual(['unusable', 'unusable', 'imported'])
  const driver = await app.api.devicedrivers.get({ id: items[2]?.driverId ?? 0 })
  expect(driver).toMatchObject({
    title: 'Acme Sum',
    manufacturer: 'Acme',
    model: 'Sum',
    visibility: 'account',
    publishedVersion: 1,
    script: decoder,
    variables: [{ key: 'sum' }, { key: 'port' }],
    golden: [{ title: 'as published', fPort: 2, payload: '010203', expected: { sum: 6, port: 2 } }],
  })
  const log = await app.api.activityLog.list({ subject: 'DeviceDriver', objectId: driver.id })
  expect(log.items.map(({ action }) => action)).toEqual(['create'])

  const again = await app.api.devicedrivers.import({ ...input, keys: 'acme/sum' })
  expect(again.items[2]).toMatchObject({ state: 'exists', driverId: null })
  expect((await app.api.devicedrivers.list(own)).total).toBe(1)
})

test('an archive without devices, with too many, or that is none is refused', async () => {
  const refused = async (file: File) => errorOf(app.api.devicedrivers.import({ file, accountId: account.id }))
  expect(await refused(archive({ 'readme.yaml': 'a: 1' }))).toMatchObject({ code: 'IMPORT_NOTHING_FOUND' })
  expect(await refused(new File(['text'], 'a.zip'))).toMatchObject({ code: 'IMPORT_ARCHIVE_UNREADABLE' })
  const many = Object.fromEntries(
    Array.from({ length: 101 }, (_, index) => [`acme/d${index}.yaml`, device('D', 'c')]),
  )
  expect(await refused(archive(many))).toMatchObject({
    code: 'IMPORT_TOO_MANY',
    data: { found: 101, max: 100 },
  })
})
