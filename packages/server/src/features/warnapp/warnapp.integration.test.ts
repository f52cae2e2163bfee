import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { warnLimits } from '@leitstand/contract/warnapp'
import { silentMinutesDefault } from '@leitstand/contract/warnLevels'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { openLive } from '../../../test/live.ts'
import { dot, pngChunk, pngHeader } from '../../../test/pictures.ts'
import { createState, createTwin } from '../../../test/twins.ts'

const start = '2026-06-15T12:00:00.000Z'
const clock = new FakeClock(start)

let app: TestApp
let viewerRole: number
let managerRole: number
let account: Awaited<ReturnType<typeof createAccount>>
let pool: { id: number }
let chlorine: number
let pump: number

beforeAll(async () => {
  app = await startApp({ clock })
  viewerRole = await createRole(app, [{ subject: 'IsWarnapp', actions: ['read'] }])
  managerRole = await createRole(app, [
    { subject: 'IsWarnapp', actions: ['manage'] },
    { subject: 'DigitalTwin', actions: ['list'] },
  ])
})
beforeEach(async () => {
  clock.set(start)
  account = await createAccount(app)
  pool = await createTwin(app, account, { title: 'Pool' })
  chlorine = await createState(app, pool.id, 'chlorine', { unit: 'mg/L', title: 'Chlorine', decimals: 2 })
  pump = await createState(app, pool.id, 'pump', { valueType: 'text', title: 'Pump' })
})

const person = (roleId: number, of = account) => createUser(app, of, [{ roleId }])
const between = { kind: 'number', badTo: 0.2, okayTo: 0.3, okayFrom: 0.6, badFrom: 1.2 } as const
const input = () => ({
  id: pool.id,
  version: null,
  states: [
    { stateId: chlorine, limits: between },
    { stateId: pump, limits: { kind: 'values' as const, bad: ['fault'] }, silentMinutes: 1440 },
  ],
})
const setValue = (stateId: number, value: number | string) =>
  app.app.series.write([{ stateId, time: clock.now(), value }])
const later = (minutes: number) => clock.set(new Date(Date.parse(start) + minutes * 60_000).toISOString())

describe('a monitor', () => {
  it('is set up by who manages monitors and lists twins, and judges the newest values', async () => {
    const [max, vera] = [await person(managerRole), await person(viewerRole)]
    expect((await max.api.isWarnapp.choices({ id: pool.id })).items).toMatchObject([
      { stateId: chlorine, title: 'Chlorine', unit: 'mg/L', valueType: 'number', value: null },
      { stateId: pump, title: 'Pump', valueType: 'text' },
    ])
    const made = await max.api.isWarnapp.save(input())
    expect(made).toMatchObject({ id: pool.id, title: 'Pool', ownTitle: '', level: 'unknown', editable: true })
    await setValue(chlorine, 0.5)
    expect((await vera.api.isWarnapp.get({ id: pool.id })).level).toBe('unknown')
    await setValue(pump, 'runs')
    const good = await vera.api.isWarnapp.get({ id: pool.id })
    expect(good).toMatchObject({ level: 'good', editable: false, now: start })
    expect(good.states.map(({ level, value }) => [level, value])).toEqual([
      ['good', 0.5],
      ['good', 'runs'],
    ])
    later(1)
    await setValue(chlorine, 1.2)
    expect((await vera.api.isWarnapp.list({})).items).toMatchObject([
      { id: pool.id, title: 'Pool', level: 'bad', states: 2, oldest: start },
    ])
    later(2 + silentMinutesDefault)
    const old = await vera.api.isWarnapp.get({ id: pool.id })
    expect(old.states.map(({ level }) => level)).toEqual(['unknown', 'good'])
    expect(old.level).toBe('unknown')
    const { items } = await app.api.activityLog.list({ subject: 'WarnMonitor', objectId: pool.id })
    expect(items.map(({ action, objectTitle }) => [action, objectTitle])).toEqual([['create', 'Pool']])
  })

  it('is found by its own title and that of its twin, and changed with its version', async () => {
    const max = await person(managerRole)
    const { version } = await max.api.isWarnapp.save(input())
    expect(await errorOf(max.api.isWarnapp.save(input()))).toMatchObject({ code: 'WARN_MONITOR_DUPLICATE' })
    const changed = { ...input(), version, title: 'Outdoor bath', states: input().states.slice(1) }
    expect(await max.api.isWarnapp.save(changed)).toMatchObject({
      title: 'Outdoor bath',
      twinTitle: 'Pool',
      states: [{ stateId: pump, silentMinutes: 1440 }],
    })
    expect(await errorOf(max.api.isWarnapp.save(changed))).toMatchObject({ code: 'VERSION_CONFLICT' })
    for (const search of ['outdoor', 'pool'])
      expect((await max.api.isWarnapp.list({ search })).items).toMatchObject([{ id: pool.id }])
    expect((await max.api.isWarnapp.list({ search: 'cellar' })).total).toBe(0)
    expect((await max.api.isWarnapp.list({ accountIds: [account.id + 1] })).total).toBe(0)
    await max.api.isWarnapp.delete({ id: pool.id })
    expect(await errorOf(max.api.isWarnapp.get({ id: pool.id }))).toMatchObject({
      code: 'WARN_MONITOR_NOT_FOUND',
    })
    expect(await errorOf(max.api.isWarnapp.save({ ...input(), version: 1 }))).toMatchObject({
      code: 'WARN_MONITOR_NOT_FOUND',
    })
  })

  it('is neither seen nor changed from another account, and setting it up needs the twins', async () => {
    const other = await createAccount(app)
    const stranger = await person(managerRole, other)
    await app.api.isWarnapp.save(input())
    const id = pool.id
    expect((await stranger.api.isWarnapp.list({})).items).toEqual([])
    for (const call of [
      () => stranger.api.isWarnapp.get({ id }),
      () => stranger.api.isWarnapp.delete({ id }),
      () => stranger.api.isWarnapp.media({ id, role: 'image' }),
      () => stranger.api.isWarnapp.setMedia({ id, role: 'image', file: new File([dot], 'a.png') }),
    ])
      expect(await errorOf(call())).toMatchObject({ code: 'WARN_MONITOR_NOT_FOUND' })
    expect(await errorOf(stranger.api.isWarnapp.choices({ id }))).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    const blind = await person(await createRole(app, [{ subject: 'IsWarnapp', actions: ['manage'] }]))
    expect((await blind.api.isWarnapp.get({ id })).editable).toBe(false)
    expect(await errorOf(blind.api.isWarnapp.delete({ id }))).toMatchObject({ code: 'NO_PERMISSION' })
    // Both rights, but for different places.
    const lists = await createRole(app, [{ subject: 'DigitalTwin', actions: ['list'] }])
    const roleId = await createRole(app, [{ subject: 'IsWarnapp', actions: ['manage'] }])
    const split = await createUser(app, account, [{ roleId }, { roleId: lists, scopeId: other.scopeId }])
    expect(await errorOf(split.api.isWarnapp.delete({ id }))).toMatchObject({ code: 'NO_PERMISSION' })
  })

  it('takes only states of its twin, with limits for values of their type, each once', async () => {
    const max = await person(managerRole)
    const elsewhere = await createState(app, (await createTwin(app, account)).id, 'level')
    const document = await createState(app, pool.id, 'report', { valueType: 'json' })
    const values = { kind: 'values' as const, bad: ['x'] }
    for (const state of [
      { stateId: elsewhere, limits: between },
      { stateId: pump, limits: between },
      { stateId: chlorine, limits: values },
      { stateId: document, limits: values },
    ])
      expect(await errorOf(max.api.isWarnapp.save({ ...input(), states: [state] }))).toMatchObject({
        code: 'WARN_STATE_INVALID',
      })
    const one = { stateId: chlorine, limits: between }
    const many = Array.from({ length: warnLimits.statesMax + 1 }, (_, index) => ({
      ...one,
      stateId: index + 1,
    }))
    for (const states of [
      [],
      [one, one],
      many,
      [{ ...one, limits: { kind: 'number' as const } }],
      [{ ...one, limits: { kind: 'number' as const, okayFrom: 2, badFrom: 1 } }],
    ])
      expect(await errorOf(max.api.isWarnapp.save({ ...input(), states }))).toMatchObject({ status: 400 })
    expect(await errorOf(max.api.isWarnapp.save({ ...input(), title: 'a\u202eb' }))).toMatchObject({
      status: 400,
    })
  })

  it('goes with its twin, names itself where its states are used, and is never good without states', async () => {
    const vera = await person(viewerRole)
    await app.api.isWarnapp.save(input())
    const { items } = await app.api.objects.usersOfState({ id: chlorine })
    expect(items).toMatchObject([{ kind: 'warnMonitor', id: pool.id, title: 'Pool', notes: ['shows'] }])
    await app.api.state.delete({ id: chlorine })
    await app.api.state.delete({ id: pump })
    expect(await vera.api.isWarnapp.get({ id: pool.id })).toMatchObject({ states: [], level: 'unknown' })
    await app.api.digitaltwin.delete({ id: pool.id })
    expect((await vera.api.isWarnapp.list({})).items).toEqual([])
  })

  it('is gone while the module is off', async () => {
    const vera = await person(viewerRole)
    await app.api.isWarnapp.save(input())
    const { items } = await app.api.module.list({ accountId: account.id })
    const found = items.find(({ module }) => module === 'warnapp')
    if (found === undefined) throw new Error('there is no module for it')
    const { version, toNewUsers } = found
    await app.api.module.set({
      accountId: account.id,
      module: 'warnapp',
      version,
      enabled: false,
      toNewUsers,
    })
    expect(await errorOf(vera.api.isWarnapp.get({ id: pool.id }))).toMatchObject({ code: 'NO_PERMISSION' })
  })
})

it('can be a favourite of people who see it', async () => {
  const [viewer, stranger] = [await person(viewerRole), await person(viewerRole, await createAccount(app))]
  await app.api.isWarnapp.save(input())
  const star = { type: 'warnMonitor', objectId: pool.id } as const
  expect(await viewer.api.favorite.create(star)).toMatchObject({ ...star, title: 'Pool' })
  expect((await viewer.api.isWarnapp.list({ favorites: true })).items).toMatchObject([{ id: pool.id }])
  expect((await app.api.isWarnapp.list({ favorites: true })).total).toBe(0)
  expect(await errorOf(stranger.api.favorite.create(star))).toMatchObject({ code: 'NOT_FOUND' })
  await app.api.isWarnapp.delete({ id: pool.id })
  expect((await viewer.api.favorite.list()).items).toEqual([])
  await app.api.isWarnapp.save(input())
  expect((await viewer.api.isWarnapp.list({ favorites: true })).total).toBe(0)
})

describe('a screen', () => {
  it('hears values of the states of its monitor at once, of no others, and of changes', async () => {
    const vera = await person(viewerRole)
    const secret = await createState(app, pool.id, 'secret')
    await app.api.isWarnapp.save(input())
    using live = await openLive(app, vera.token)
    const topic = `warn:${pool.id}` as const
    expect((await live.follow(topic)).at(-1)).toMatchObject({ kind: 'subscribed' })
    await setValue(secret, 7)
    await setValue(chlorine, 0.7)
    const values = (await live.received()).flatMap((message) =>
      message.kind === 'values' ? message.values : [],
    )
    expect(values).toMatchObject([{ stateId: chlorine, value: 0.7, timeMs: Date.parse(start) }])
    expect((await live.follow(`twin:${pool.id}`)).at(-1)).toMatchObject({ kind: 'refused' })
    await app.api.isWarnapp.setMedia({ id: pool.id, role: 'image', file: new File([dot], 'a.png') })
    await app.drain()
    expect((await live.received()).map(({ kind }) => kind)).toContain('resync')
  })

  it('gets what it has missed, and is refused without the right', async () => {
    const [vera, stranger] = [await person(viewerRole), await person(viewerRole, await createAccount(app))]
    await app.api.isWarnapp.save(input())
    await setValue(chlorine, 0.4)
    using live = await openLive(app, vera.token)
    const missed = await live.follow(`warn:${pool.id}`, Date.parse(start) - 1)
    expect(missed[0]).toMatchObject({ kind: 'values', values: [{ stateId: chlorine, value: 0.4 }] })
    using other = await openLive(app, stranger.token)
    expect(await other.follow(`warn:${pool.id}`)).toMatchObject([{ kind: 'refused' }])
  })
})

/** Half a second of silence. */
function wav(): Buffer<ArrayBuffer> {
  const samples = 4000
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.set([1, 0, 1, 0], 20)
  header.writeUInt32LE(8000, 24)
  header.writeUInt32LE(8000, 28)
  header.set([1, 0, 8, 0], 32)
  header.write('data', 36)
  header.writeUInt32LE(samples, 40)
  return Buffer.concat([header, Buffer.alloc(samples, 128)])
}
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const mp3 = Buffer.concat([
  Buffer.from('ID3\u0004\u0000\u0000\u0000\u0000\u0000\u0000', 'latin1'),
  Buffer.alloc(400).fill(Buffer.from([0xff, 0xfb, 0x90, 0x64]), 0, 4),
])
const flac = Buffer.concat([Buffer.from('fLaC\u0000\u0000\u0000\u0022', 'latin1'), Buffer.alloc(64)])

describe('image and sound', () => {
  const set = (role: 'image' | 'sound', bytes: Uint8Array<ArrayBuffer>, name: string, type = '') =>
    app.api.isWarnapp.setMedia({ id: pool.id, role, file: new File([bytes], name, { type }) })
  beforeEach(async () => {
    await app.api.isWarnapp.save(input())
  })

  it('are what their content is, whatever they are called, and the new one replaces the old', async () => {
    expect((await set('image', dot, 'a.jpg', 'image/jpeg')).image).toMatchObject({
      name: 'a.jpg.png',
      type: 'image/png',
    })
    expect((await set('image', gif, '../../b.gif')).image).toMatchObject({ name: 'b.gif', type: 'image/gif' })
    for (const [bytes, name, type] of [
      [wav(), 'horn.wav', 'audio/wav'],
      [mp3, 'horn.mp3', 'audio/mpeg'],
      [flac, 'horn.flac', 'audio/flac'],
    ] as const)
      expect((await set('sound', Buffer.from(bytes), name)).sound).toMatchObject({ name, type })
    const { sound, version } = await app.api.isWarnapp.get({ id: pool.id })
    expect((await app.api.isWarnapp.removeMedia({ id: pool.id, role: 'sound' })).sound).toBeNull()
    expect(await errorOf(app.api.isWarnapp.removeMedia({ id: pool.id, role: 'sound' }))).toMatchObject({
      code: 'WARN_MEDIA_NOT_FOUND',
    })
    expect(sound?.hash).toMatch(/^[\da-f]{64}$/)
    expect((await app.api.isWarnapp.get({ id: pool.id })).version).toBe(version + 1)
  })

  it.each([
    [
      'image',
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'logo.png',
      'image/png',
    ],
    ['image', '<!doctype html><script>alert(1)</script>', 'logo.gif', 'image/gif'],
    ['sound', '<!doctype html><script>alert(1)</script>', 'horn.mp3', 'audio/mpeg'],
    ['sound', 'ID3 is what this text begins with', 'horn.mp3.txt', 'audio/mpeg'],
    ['image', '\u0000\u0001\u0002', 'logo.png', 'image/png'],
    ['image', 'GIF89a', 'short.gif', 'image/gif'],
    ['image', 'GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000<script>', 'page.gif', 'image/gif'],
    ['image', '\u00ff\u00d8\u00ff\u00e0\u0000\u0010JFIF\u0000', 'cut.jpg', 'image/jpeg'],
  ] as const)('%s is refused when it only claims to be one: %s', async (role, text, name, type) => {
    expect(await errorOf(set(role, Buffer.from(text, 'latin1'), name, type))).toMatchObject({
      code: 'WARN_MEDIA_REFUSED',
    })
  })

  it('are refused in the place of the other, when empty and when too large', async () => {
    expect(await errorOf(set('image', wav(), 'a.wav'))).toMatchObject({ code: 'WARN_MEDIA_REFUSED' })
    expect(await errorOf(set('sound', dot, 'a.png'))).toMatchObject({ code: 'WARN_MEDIA_REFUSED' })
    expect(await errorOf(set('image', Buffer.alloc(0), 'a.png'))).toMatchObject({ code: 'FILE_EMPTY' })
    const huge = Buffer.concat([dot.subarray(0, 8), pngHeader(5000, 10), dot.subarray(33)])
    expect(await errorOf(set('image', huge, 'a.png'))).toMatchObject({ code: 'WARN_MEDIA_TOO_LARGE' })
    const long = Buffer.concat([dot, Buffer.alloc(warnLimits.imageBytesMax)])
    expect(await errorOf(set('image', long, 'a.png'))).toMatchObject({ code: 'WARN_MEDIA_TOO_LARGE' })
    const longer = Buffer.concat([wav(), Buffer.alloc(warnLimits.fileBytesMax)])
    expect(await errorOf(set('sound', longer, 'a.wav'))).toMatchObject({ status: 413 })
  })

  it('are whole downloads of their type that can do nothing as a page, and of images only the picture', async () => {
    const page = '<!doctype html><script>alert(1)</script>'
    await set('image', Buffer.concat([gif, Buffer.from(page)]), 'both.html', 'text/html')
    const get = (headers: Record<string, string> = {}) =>
      fetch(`${app.url}/api/isWarnapp/${pool.id}/media/image`, {
        headers: { authorization: `Bearer ${app.token}`, ...headers },
      })
    const reply = await get({ range: 'bytes=42-' })
    expect(reply.status).toBe(200)
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'image/gif',
      'content-disposition': expect.stringMatching(/^attachment; filename="both\.html\.gif"/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'private, no-cache',
    })
    // Only the picture is left of it.
    expect(Buffer.from(await reply.arrayBuffer())).toEqual(gif)
    expect((await get({ 'if-none-match': reply.headers.get('etag') as string })).status).toBe(304)
    const vera = await person(viewerRole)
    await vera.api.isWarnapp.media({ id: pool.id, role: 'image' })
    const viewer = await person(await roleNamed(app, 'Viewer'))
    expect(await errorOf(viewer.api.isWarnapp.media({ id: pool.id, role: 'image' }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
  })

  it('count as files of the account: TENANT_FILE_LIMIT', async () => {
    await app.ctx.db.updateTable('accounts').set({ file_megabytes: 1 }).where('id', '=', account.id).execute()
    const big = Buffer.concat([wav(), Buffer.alloc(700_000)])
    await set('sound', big, 'a.wav')
    await set('sound', big, 'b.wav')
    const [header, end] = [pngHeader(500, 470), pngChunk('IEND', Buffer.alloc(0))]
    const noise = pngChunk('IDAT', deflateSync(randomBytes(1501 * 470)))
    const picture = Buffer.concat([dot.subarray(0, 8), header, noise, end])
    expect(await errorOf(set('image', picture, 'a.png'))).toMatchObject({
      code: 'TENANT_FILE_LIMIT',
    })
    const file = new File([Buffer.alloc(500_000, 'a')], 'notes.txt')
    expect(
      await errorOf(app.api.upload.post({ object: 'digitalTwin', objectId: pool.id, file })),
    ).toMatchObject({ code: 'TENANT_FILE_LIMIT' })
  })
})

it('an account has at most so many monitors: WARN_MONITORS_LIMIT', async () => {
  const ids = await Promise.all(
    Array.from({ length: warnLimits.monitorsMax }, () =>
      createTwin(app, account, { title: `Many ${account.id}` }),
    ),
  )
  await app.ctx.db
    .insertInto('warn_monitors')
    .values(ids.map(({ id }) => ({ id, created_at: clock.now() })))
    .execute()
  expect(await errorOf(app.api.isWarnapp.save(input()))).toMatchObject({ code: 'WARN_MONITORS_LIMIT' })
})
