import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { dot } from '../../../test/pictures.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'

const picture = (name: string) => new File([dot], name, { type: 'image/png' })

let smtp: TestSmtp
let app: TestApp
const clock = new FakeClock()
beforeAll(async () => {
  smtp = await startSmtp()
  app = await startApp({ clock, config: { smtpUrl: smtp.url, supportEmail: 'support@example.org' } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})
beforeEach(() => {
  smtp.received.length = 0
})

/** A user with few rights, in an account below one that may configure recipients of feedback. */
async function somebody(bug: string[] = []) {
  const parent = await createAccount(app)
  const account = await createAccount(app, { parent })
  const stored = await app.api.tenant.get({ id: parent.id })
  await app.api.tenant.update({ ...stored, feedback: { bug, featureRequest: [] } })
  const user = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
  return { account, ...user }
}

describe('feedback', () => {
  test('goes with its pictures to those whom the nearest account names; the answer to who wrote it', async () => {
    const { api, username, account } = await somebody(['bugs@example.org', 'desk@example.org'])
    const files = [picture('a.png'), picture('b.png')]
    await api.feedback.send({ subject: 'Map', content: 'It is\nblank.', bug: true, files })
    await app.drain()
    const [mail] = smtp.received
    const email = `${username}@example.org`
    expect(mail?.to?.map(({ address }) => address)).toEqual(['bugs@example.org', 'desk@example.org'])
    expect(mail?.replyTo?.map(({ address }) => address)).toEqual([email])
    expect(mail?.subject).toBe('Leitstand, Fehler: Map')
    expect(mail?.text).toContain('It is\nblank.')
    expect(mail?.text).toContain(`<${email}>\nAccount: ${account.name}`)
    expect(mail?.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
      ['a.png', 'image/png'],
      ['b.png', 'image/png'],
    ])
    expect(Buffer.from(mail?.attachments[0]?.content as ArrayBuffer).equals(dot)).toBe(true)
  })

  test('goes to the operator where nobody is named, and stands in the log', async () => {
    const { api, username } = await somebody(['bugs@example.org'])
    await api.feedback.send({ content: 'Please add a clock.\nThanks' })
    await app.drain()
    expect(smtp.received[0]?.to?.[0]?.address).toBe('support@example.org')
    expect(smtp.received[0]?.subject).toBe('Leitstand, Vorschlag: Please add a clock.')
    const { items } = await app.api.activityLog.list({ search: username, action: 'sendFeedback' })
    expect(items[0]).toMatchObject({ changes: { kind: 'featureRequest', subject: '', pictures: 0 } })
  })

  test('can be read by who manages the account, pictures included, and by nobody else', async () => {
    const { api } = await somebody()
    await api.feedback.send({ subject: 'One picture', content: 'x', files: [picture('one.png')] })
    await app.drain()
    const { items } = await app.api.mail.list({ search: 'One picture' })
    const attached = items[0]?.attachments
    expect(attached).toEqual([
      { id: expect.any(Number), name: 'one.png', type: 'image/png', size: dot.length },
    ])
    const id = attached?.[0]?.id ?? 0
    const { body } = await app.api.mail.attachment({ id })
    expect(Buffer.from(await body.arrayBuffer()).equals(dot)).toBe(true)
    const stranger = await createUser(app, await createAccount(app), [
      { roleId: await roleNamed(app, 'Account administrator') },
    ])
    expect(await errorOf(stranger.api.mail.attachment({ id }))).toMatchObject({ code: 'FILE_NOT_FOUND' })
  })

  test('may be sent as a form with a field for each picture, as other programs do', async () => {
    const { token } = await somebody()
    const form = new FormData()
    form.append('content', 'from a form')
    form.append('bug', 'false')
    form.append('files', picture('1.png'))
    form.append('files', picture('2.png'))
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${app.url}/api/user/feedback`, { method: 'POST', headers, body: form })
    expect([answer.status, await answer.json()]).toEqual([201, { ok: true }])
    await app.drain()
    expect(smtp.received[0]?.attachments).toHaveLength(2)
    expect(smtp.received[0]?.subject).toContain('Vorschlag')
  })

  test('without a description, with too long a subject, or with what is no picture is refused', async () => {
    const { api } = await somebody()
    const refused = (input: Parameters<typeof api.feedback.send>[0]) => errorOf(api.feedback.send(input))
    expect(await refused({ content: '  ' })).toMatchObject({ code: 'PARAMETER_VALIDATION_ERROR' })
    expect(await refused({ subject: 'x'.repeat(51), content: 'x' })).toMatchObject({
      code: 'PARAMETER_VALIDATION_ERROR',
    })
    expect(await refused({ content: 'x', files: [new File(['<svg/>'], 'a.png')] })).toMatchObject({
      code: 'FILE_NO_PICTURE',
    })
    const large = () => new File([dot, new Uint8Array(6 * 1_048_576)], 'large.png')
    expect(await refused({ content: 'x', files: [large(), large()] })).toMatchObject({
      code: 'BODY_TOO_LARGE',
    })
    expect(smtp.received).toEqual([])
  })

  test('of one person is taken only so often', async () => {
    const { api } = await somebody()
    for (let i = 0; i < 3; i++) await api.feedback.send({ content: 'again' })
    expect(await errorOf(api.feedback.send({ content: 'again' }))).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
    })
    clock.advance(10 * 60_000)
    await api.feedback.send({ content: 'later' })
  })
})
