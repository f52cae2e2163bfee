import { announcementLimits } from '@leitstand/contract/announcements'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createApiWith,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { openLive } from '../../../test/live.ts'

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
const inHours = (hours: number) => new Date(clock.now().getTime() + hours * 3_600_000).toISOString()
const words = { type: 'info', presentationType: 'banner', text: 'The lifts stand still on Monday' } as const

let app: TestApp
let viewer: number
let administrator: number
let parent: Awaited<ReturnType<typeof createAccount>>
let account: Awaited<ReturnType<typeof createAccount>>

beforeAll(async () => {
  app = await startApp({ clock })
  viewer = await roleNamed(app, 'Viewer')
  administrator = await roleNamed(app, 'Account administrator')
})
beforeEach(async () => {
  clock.set('2026-06-15T12:00:00.000Z')
  parent = await createAccount(app)
  account = await createAccount(app, { parent })
})

const person = (of = account, roleId = viewer) => createUser(app, of, [{ roleId }])
const seenBy = async ({ api }: Pick<TestApp, 'api'>) =>
  (await api.announcement.own()).items.map(({ text }) => text)

describe('an announcement', () => {
  it('is seen by the users of its account, and of those below it only if it says so', async () => {
    const [ada, ben, eve] = [await person(), await person(parent), await person(await createAccount(app))]
    const link = { url: 'https://example.org/lifts?a=1#b', text: 'More' }
    await app.api.announcement.create({ ...words, id: parent.id, text: 'above', link })
    await app.api.announcement.create({ ...words, id: parent.id, text: 'for all', includeSubTenants: true })
    await app.api.announcement.create({ ...words, id: account.id, text: 'below', includeSubTenants: true })
    expect(await seenBy(ada)).toEqual(['below', 'for all'])
    expect(await seenBy(ben)).toEqual(['for all', 'above'])
    expect(await seenBy(eve)).toEqual([])
    expect((await ben.api.announcement.own()).items[1]).toEqual({
      ...words,
      id: expect.any(Number),
      text: 'above',
      link,
      end: null,
    })
  })

  it('shows the most urgent first, and as many as anybody reads', async () => {
    const ada = await person()
    for (const type of ['info', 'error', 'success', 'warning'] as const)
      await app.api.announcement.create({ ...words, id: account.id, type, text: type })
    expect(await seenBy(ada)).toEqual(['error', 'warning', 'success', 'info'])
    const above = await Promise.all([parent.id, app.rootAccountId].map((id) => fill(id)))
    expect(await seenBy(ada)).toHaveLength(announcementLimits.shownMax)
    for (const { id } of above.flat()) await app.api.announcement.delete({ id })
  })

  it('is closed by a user for good, whatever becomes of it', async () => {
    const [ada, ben] = [await person(), await person()]
    const made = await app.api.announcement.create({ ...words, id: account.id })
    await ada.api.announcement.dismiss({ id: made.id })
    await ada.api.announcement.dismiss({ id: made.id })
    const { id, version } = made
    await app.api.announcement.update({ ...words, id, version, text: 'Changed' })
    await app.api.announcement.setState({ id, active: false })
    await app.api.announcement.setState({ id, active: true })
    expect([await seenBy(ada), await seenBy(ben)]).toEqual([[], ['Changed']])
    expect((await app.api.announcement.list({ id: account.id })).items[0]).toMatchObject({ dismissals: 1 })
    await app.api.announcement.create({ ...words, id: account.id, text: 'Changed' })
    expect(await seenBy(ada)).toEqual(['Changed'])
  })

  it('is closed only by those it is for, and by nobody for somebody else: ANNOUNCEMENT_NOT_FOUND', async () => {
    const [ada, eve] = [await person(), await person(await createAccount(app))]
    const { id } = await app.api.announcement.create({ ...words, id: account.id })
    expect(await errorOf(eve.api.announcement.dismiss({ id }))).toMatchObject({
      code: 'ANNOUNCEMENT_NOT_FOUND',
      status: 404,
    })
    const { token } = await app.api.auth.impersonate({ userId: ada.id })
    const asAda = createApiWith(app.url, { authorization: `Bearer ${token}` })
    expect(await errorOf(asAda.announcement.dismiss({ id }))).toMatchObject({ code: 'AUTH_IMPERSONATING' })
    expect(await seenBy(ada)).toEqual([words.text])
  })

  it('appears and ends at its times, is deactivated then, and the log says so', async () => {
    const ada = await person()
    const times = { start: inHours(1), end: inHours(2) }
    const { id } = await app.api.announcement.create({ ...words, id: account.id, ...times })
    const stands = async () => (await app.api.announcement.list({ id: account.id })).items[0]
    expect([await seenBy(ada), (await stands())?.status]).toEqual([[], 'scheduled'])
    clock.advance(3_600_000)
    expect([await seenBy(ada), (await stands())?.status]).toEqual([[words.text], 'shown'])
    await app.drain()
    clock.advance(3_600_000)
    expect(await seenBy(ada)).toEqual([])
    await app.drain()
    expect(await stands()).toMatchObject({ id, active: false, status: 'past', ...times })
    const { items } = await app.api.activityLog.list({ subject: 'Announcement', objectId: id })
    expect(items.map(({ action, userName }) => `${action} by ${userName}`)).toEqual([
      'deactivate by announcements',
      'create by admin@localhost',
    ])
    await app.drain()
    expect((await app.api.announcement.list({ id: account.id, status: 'past' })).total).toBe(1)
    expect((await app.api.announcement.list({ id: account.id, status: 'shown' })).total).toBe(0)
  })

  it('cannot be active after its end, nor end before it starts: ANNOUNCEMENT_ENDED', async () => {
    const past = { ...words, id: account.id, end: inHours(-1) }
    expect(await errorOf(app.api.announcement.create(past))).toMatchObject({ code: 'ANNOUNCEMENT_ENDED' })
    const { id } = await app.api.announcement.create({ ...past, active: false })
    expect(await errorOf(app.api.announcement.setState({ id, active: true }))).toMatchObject({
      code: 'ANNOUNCEMENT_ENDED',
    })
    const turned = { ...words, id: account.id, start: inHours(2), end: inHours(1) }
    expect(await errorOf(app.api.announcement.create(turned))).toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
  })

  it('is one of 10 active ones of an account: ANNOUNCEMENTS_LIMIT', async () => {
    const [one] = await fill(account.id)
    expect(await errorOf(app.api.announcement.create({ ...words, id: account.id }))).toMatchObject({
      code: 'ANNOUNCEMENTS_LIMIT',
      data: { max: announcementLimits.activeMax },
    })
    const { id } = await app.api.announcement.create({ ...words, id: account.id, active: false })
    expect(await errorOf(app.api.announcement.setState({ id, active: true }))).toMatchObject({
      code: 'ANNOUNCEMENTS_LIMIT',
    })
    await app.api.announcement.setState({ id: one?.id ?? 0, active: false })
    await app.api.announcement.setState({ id, active: true })
  })

  it('refuses text that turns the direction of writing', async () => {
    expect(
      await errorOf(app.api.announcement.create({ ...words, id: account.id, text: 'a\u202egnp.exe' })),
    ).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })

  it('refuses links that are none', async () => {
    const urls = [
      'javascript:alert(1)',
      'data:text/html,x',
      'https://a@evil.example',
      '//evil.example',
      'ftp://x.y',
    ]
    for (const url of urls)
      expect(
        await errorOf(app.api.announcement.create({ ...words, id: account.id, link: { url, text: 'Here' } })),
      ).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
  })
})

describe('administrators', () => {
  it('see and change those of their accounts only', async () => {
    const admin = await person(account, administrator)
    const above = await app.api.announcement.create({ ...words, id: parent.id, includeSubTenants: true })
    const own = await admin.api.announcement.create({ ...words, id: account.id, text: 'Own' })
    expect(await errorOf(admin.api.announcement.list({ id: parent.id }))).toMatchObject({
      code: 'TENANT_NOT_FOUND',
    })
    expect(await errorOf(admin.api.announcement.delete({ id: above.id }))).toMatchObject({
      code: 'ANNOUNCEMENT_NOT_FOUND',
    })
    const listed = async (below: boolean, search?: string) =>
      (await app.api.announcement.list({ id: parent.id, below, search })).items.map(({ id }) => id)
    expect(await listed(false)).toEqual([above.id])
    expect(await listed(true)).toEqual([own.id, above.id])
    expect(await listed(true, 'LIFTS')).toEqual([above.id])
    const { id, version } = own
    await admin.api.announcement.update({ ...words, id, version })
    expect(await errorOf(admin.api.announcement.update({ ...words, id, version }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
  })

  it('learn how many active users they reach', async () => {
    const gone = await person()
    await person()
    await person(parent)
    await app.ctx.db.updateTable('users').set({ active: false }).where('id', '=', gone.id).execute()
    const reach = (includeSubTenants: boolean) =>
      app.api.announcement.reach({ id: parent.id, includeSubTenants })
    expect([await reach(false), await reach(true)]).toEqual([
      { users: 1, accounts: 1 },
      { users: 2, accounts: 2 },
    ])
  })
})

describe('consoles', () => {
  it('hear of it at once, and nobody else does', async () => {
    const [ada, eve] = [await person(), await person(await createAccount(app))]
    using own = await openLive(app, ada.token)
    using foreign = await openLive(app, eve.token)
    await own.follow(`announcements:${account.id}`)
    expect(await foreign.follow(`announcements:${account.id}`)).toMatchObject([{ kind: 'refused' }])
    const { id } = await app.api.announcement.create({ ...words, id: parent.id, end: inHours(1) })
    const kinds = async () => (await own.received()).map(({ kind }) => kind)
    expect(await kinds()).toEqual(['announcements'])
    clock.advance(3_600_000)
    await app.drain()
    expect(await kinds()).toEqual(['announcements'])
    await app.api.announcement.delete({ id })
    expect([await kinds(), await foreign.received()]).toEqual([['announcements'], []])
  })
})

/** Active ones, up to the limit of an account. */
async function fill(id: number) {
  const made = []
  for (let count = 0; count < announcementLimits.activeMax; count++)
    made.push(await app.api.announcement.create({ ...words, id, includeSubTenants: true }))
  return made
}
