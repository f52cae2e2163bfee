import { mailTemplateLimits } from '@leitstand/contract/mailTemplates'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Api,
  createAccount,
  createApi,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { faultsOf } from '../../platform/mail/templates/parse.ts'

const clock = new FakeClock()
let smtp: TestSmtp
let app: TestApp
beforeAll(async () => {
  smtp = await startSmtp()
  app = await startApp({ clock, config: { smtpUrl: smtp.url } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

let city: { id: number; scopeId: number; name: string }
let admin: { api: Api; username: string; id: number }
beforeEach(async () => {
  smtp.received.length = 0
  city = await createAccount(app)
  admin = await person(city, 'Account administrator')
})

async function person(account: { id: number; scopeId: number }, role = 'Viewer') {
  return createUser(app, account, [{ roleId: await roleNamed(app, role) }])
}

/** The mail with a link that a user gets who has forgotten the password. */
async function forgotten({ username }: { username: string }) {
  const before = smtp.received.length
  await createApi(app.url).password.forgot({ email: `${username}@example.org` })
  await app.drain()
  const found = smtp.received.slice(before).find(({ to }) => to?.[0]?.address === `${username}@example.org`)
  if (!found) throw new Error('no mail came')
  return found
}

const forgottenId = 'passwordForgotten'
const german = { id: forgottenId, language: 'de' as const }
const words = {
  subject: 'Stadtwerke: Ihr Passwort',
  body: 'Moin!\n\n[Weiter]({{link}})\n\nViele Grüße aus dem [Rathaus](https://stadt.example).',
}
const set = (api: Api, accountId: number, changes: Partial<typeof words> & { version?: number } = {}) =>
  api.mailTemplate.save({ ...german, accountId, version: 0, ...words, ...changes })

describe('every kind of mail', () => {
  test('has delivered texts that could be saved as they are', () => {
    expect(app.ctx.mail.kinds.length).toBeGreaterThan(15)
    for (const kind of app.ctx.mail.kinds)
      for (const language of ['de', 'en'] as const)
        expect([kind.id, language, faultsOf(kind, kind.texts[language])]).toEqual([kind.id, language, []])
  })

  test('is listed, and has a preview with examples', async () => {
    const { items } = await admin.api.mailTemplate.list({ accountId: city.id })
    expect(items.map(({ id }) => id)).toEqual(app.ctx.mail.kinds.map(({ id }) => id))
    for (const { id, isSpoken, words: origins } of items) {
      expect(origins.map(({ language, state }) => `${language} ${state}`)).toEqual(
        isSpoken ? ['de delivered', 'en delivered'] : ['de delivered'],
      )
      const template = await admin.api.mailTemplate.get({ id, accountId: city.id })
      const { subject, body } = template
      const shown = await admin.api.mailTemplate.render({ id, accountId: city.id, subject, body })
      expect(shown.faults).toEqual([])
      expect(shown.mail?.html).toContain('<!doctype html>')
      expect(`${shown.mail?.subject} ${shown.mail?.text}`).not.toMatch(/\{\{|\}\}|undefined/)
    }
  })
})

describe('the words of an account', () => {
  test('are in the real mail, also below the account, until they are reset', async () => {
    const below = await createAccount(app, { parent: city })
    const [ada, eve] = [await person(city), await person(below)]
    const saved = await set(admin.api, city.id)
    expect(saved).toMatchObject({ ...words, state: 'own', version: 1, accountName: city.name })
    for (const reader of [ada, eve]) {
      const mail = await forgotten(reader)
      expect(mail.subject).toBe(words.subject)
      expect(mail.text).toContain('Moin!')
      expect(mail.text).toMatch(/Weiter: http\S+#\/change-password\?token=[\w-]{43}\n/)
      expect(mail.html).toMatch(/<a href="http[^"]+#\/change-password\?token=[\w-]{43}"/)
      expect(mail.html).toContain('<a href="https://stadt.example"')
      expect(mail.html).toContain('lang="de"')
      expect(`${mail.html}${mail.text}`).not.toContain('{secret}')
    }
    const inBelow = await admin.api.mailTemplate.get({ ...german, accountId: below.id })
    expect(inBelow).toMatchObject({ ...words, state: 'inherited', accountName: city.name, version: 0 })
    await set(admin.api, below.id, { subject: 'Nur hier' })
    expect((await forgotten(eve)).subject).toBe('Nur hier')
    const after = await admin.api.mailTemplate.reset({ ...german, accountId: below.id })
    expect(after).toMatchObject({ ...words, state: 'inherited', version: 0 })
    await admin.api.mailTemplate.reset({ ...german, accountId: city.id })
    expect((await forgotten(ada)).subject).toBe('Leitstand: neues Passwort setzen')
    expect(await errorOf(admin.api.mailTemplate.reset({ ...german, accountId: city.id }))).toMatchObject({
      code: 'MAIL_TEMPLATE_NOT_FOUND',
    })
    const { items } = await admin.api.activityLog.list({ subject: 'MailTemplate' })
    expect(items.map(({ action }) => action)).toEqual(['resetTemplate', 'resetTemplate', 'update', 'update'])
  })

  test('count for one language, and do not overwrite what somebody else has just saved', async () => {
    await set(admin.api, city.id)
    const english = await admin.api.mailTemplate.get({ id: forgottenId, accountId: city.id, language: 'en' })
    expect(english).toMatchObject({ state: 'delivered', subject: '{{product}}: set a new password' })
    expect(await errorOf(set(admin.api, city.id))).toMatchObject({ code: 'VERSION_CONFLICT' })
    expect(await set(admin.api, city.id, { version: 1, subject: 'Zwei' })).toMatchObject({ version: 2 })
  })

  test('do not reach a user of whose rights the administrators lack some', async () => {
    await set(admin.api, city.id)
    const visitor = await createUser(app, city, [
      { roleId: await roleNamed(app, 'Viewer') },
      { roleId: await roleNamed(app, 'Account administrator'), scopeId: app.rootScopeId },
    ])
    const mail = await forgotten(visitor)
    expect(mail.subject).toBe('Leitstand: neues Passwort setzen')
    expect(mail.html).not.toContain('stadt.example')
  })

  test('for people who have not agreed yet are those of the topmost account: MAIL_TEMPLATE_FIXED', async () => {
    const consent = { id: 'recipientConsent', subject: 'Hello', body: 'Buy now: {{link}}', version: 0 }
    expect(await errorOf(admin.api.mailTemplate.save({ ...consent, accountId: city.id }))).toMatchObject({
      code: 'MAIL_TEMPLATE_FIXED',
    })
    const top = await app.api.mailTemplate.save({ ...consent, accountId: app.rootAccountId })
    expect(top).toMatchObject({ state: 'own', maySet: true, isSpoken: false })
    const here = await admin.api.mailTemplate.get({ id: consent.id, accountId: city.id })
    // Whose account it is they do not see.
    expect(here).toMatchObject({ state: 'inherited', accountName: null, maySet: false, subject: 'Hello' })
    await app.api.mailTemplate.reset({ id: consent.id, accountId: app.rootAccountId })
  })

  test('are of no use for what was stored before they were checked as today', async () => {
    const stored = { subject: 'Old', body: 'without the link', updated_at: clock.now() }
    await app.ctx.db
      .insertInto('mail_templates')
      .values({ account_id: city.id, kind: forgottenId, language: 'de', ...stored })
      .execute()
    expect((await forgotten(await person(city))).subject).toBe('Leitstand: neues Passwort setzen')
  })
})

describe('a hostile template', () => {
  const refusal = async (changes: Partial<typeof words>) => errorOf(set(admin.api, city.id, changes))

  test('is refused with what is wrong and where: MAIL_TEMPLATE_INVALID', async () => {
    expect(await refusal({ body: 'Hello {{name}}\n{{{link}}}' })).toMatchObject({
      code: 'MAIL_TEMPLATE_INVALID',
      data: { faults: [{ field: 'body', code: 'tag', line: 2, column: 1 }] },
    })
    expect(await refusal({ body: 'no link' })).toMatchObject({
      data: { faults: [{ field: 'body', code: 'missing', name: 'link' }] },
    })
    expect(await refusal({ subject: 'a\u202eb' })).toMatchObject({
      data: { faults: [{ field: 'subject', code: 'hidden' }] },
    })
    const large = `{{link}}\n\n${'a\n\n'.repeat(3000)}`
    expect(await refusal({ body: large })).toMatchObject({ data: { faults: [{ code: 'large' }] } })
  })

  test('of a megabyte or of nothing is refused before anything is done', async () => {
    const refused = { code: 'PARAMETER_VALIDATION_ERROR' }
    const body = 'a'.repeat(1_000_000)
    expect(await refusal({ body })).toMatchObject(refused)
    expect(await refusal({ body: ' \n' })).toMatchObject(refused)
    expect(await refusal({ subject: '' })).toMatchObject(refused)
    const { subject } = words
    expect(
      await errorOf(admin.api.mailTemplate.render({ ...german, accountId: city.id, subject, body })),
    ).toMatchObject(refused)
    expect(mailTemplateLimits.bodyLengthMax).toBeLessThan(body.length)
  })

  test('of a kind that does not exist, or in a language it has no text in, is not found', async () => {
    for (const which of [
      { id: 'constructor' },
      { id: 'toString' },
      { id: 'messagesHeld', language: 'en' as const },
    ])
      expect(await errorOf(admin.api.mailTemplate.get({ accountId: city.id, ...which }))).toMatchObject({
        code: 'MAIL_TEMPLATE_NOT_FOUND',
      })
  })

  test('of another account is neither seen nor changed', async () => {
    const other = await createAccount(app)
    for (const attempt of [
      () => admin.api.mailTemplate.list({ accountId: other.id }),
      () => admin.api.mailTemplate.get({ ...german, accountId: other.id }),
      () => set(admin.api, other.id),
      () => admin.api.mailTemplate.render({ ...german, accountId: other.id, ...words }),
      () => admin.api.mailTemplate.test({ ...german, accountId: other.id, ...words }),
      () => set(admin.api, app.rootAccountId),
    ])
      expect(await errorOf(attempt())).toMatchObject({ code: 'TENANT_NOT_FOUND' })
  })

  test('shows HTML and line breaks of a user in no other way than as text', async () => {
    const ada = await person(city)
    await set(admin.api, city.id, { body: '{{link}}' })
    await admin.api.mailTemplate.save({
      id: 'feedback',
      accountId: city.id,
      version: 0,
      subject: '{{title}} {{author}}',
      body: '# {{author}}\n\n{{text}}',
    })
    await app.ctx.db
      .updateTable('users')
      .set({ first_name: '<b>Ada</b>', last_name: 'X\r\nBcc: all@example.org' })
      .where('id', '=', ada.id)
      .execute()
    await ada.api.feedback.send({
      subject: '',
      content: 'First\r\nBcc: all@example.org\n<script>1</script> {{link}}',
      bug: false,
      files: [],
    })
    await app.drain()
    const mail = smtp.received.at(-1)
    expect(mail?.to).toHaveLength(1)
    expect(mail?.bcc ?? []).toEqual([])
    expect(mail?.subject).toBe('First <b>Ada</b> X Bcc: all@example.org')
    expect(mail?.html).toContain('&#60;b&#62;Ada&#60;/b&#62; X Bcc')
    expect(mail?.html).not.toMatch(/<script>|<b>/)
    expect(mail?.text).toContain('{{link}}')
  })
})

describe('a test mail', () => {
  test('goes to oneself in the words being written, and not without end', async () => {
    const attempt = () => admin.api.mailTemplate.test({ ...german, accountId: city.id, ...words })
    expect(await attempt()).toEqual({ sentTo: `${admin.username}@example.org` })
    expect(smtp.received).toMatchObject([{ subject: words.subject }])
    expect(smtp.received[0]?.html).toContain('token=beispiel')
    expect(
      await errorOf(admin.api.mailTemplate.test({ ...german, accountId: city.id, ...words, body: 'x' })),
    ).toMatchObject({ code: 'MAIL_TEMPLATE_INVALID' })
    for (let count = 0; count < 5; count++) await attempt()
    expect(await errorOf(attempt())).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  })
})
