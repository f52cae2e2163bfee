import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endOverdueAttempts, interruptLastAttempt } from '../../../test/jobs.ts'
import { createAccount, createUser, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { type Executor, jsonb } from '../db/index.ts'

let smtp: TestSmtp
let app: TestApp
beforeAll(async () => {
  smtp = await startSmtp({ refusedRecipient: 'gone@example.org' })
  app = await startApp({ config: { smtpUrl: smtp.url } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const mailOf = async (id: number, of = app) =>
  of.ctx.db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** What the console is told of a mail whose outcome is not certain. */
const doubtAbout = async (id: number) => (await app.ctx.mail.outcomesOf(app.ctx.db, [id], [])).get(id)?.doubt

const send = (db: Executor, subject: string) =>
  app.ctx.mail.send(db, {
    accountId: app.rootAccountId,
    recipients: ['night@example.org'],
    subject,
    body: '',
  })

/** Skips the delay before the next attempt. */
async function sendAgain(): Promise<void> {
  await app.ctx.pool.query(
    `update pgboss.job set start_after = now() where name = 'mail.send' and state = 'retry'`,
  )
  await app.drain()
}

describe('a mail', () => {
  test('arrives at a real SMTP server with everything in it', async () => {
    const id = await app.ctx.db.transaction().execute((tx) =>
      app.ctx.mail.send(tx, {
        accountId: app.rootAccountId,
        recipients: ['operator@example.org', 'chief@example.org'],
        subject: 'Pegel überschritten: Brücke',
        body: 'Der Wert ist 3,2 m.\nGrüße',
        origin: { ruleId: 1 },
      }),
    )
    await app.drain()
    const mail = smtp.received.find(({ subject }) => subject === 'Pegel überschritten: Brücke')
    expect(mail?.to?.map(({ address }) => address)).toEqual(['operator@example.org', 'chief@example.org'])
    expect(mail?.from?.address).toBe('leitstand@localhost')
    expect(mail?.text?.trim()).toBe('Der Wert ist 3,2 m.\nGrüße')
    expect(await mailOf(id)).toMatchObject({ status: 'sent', attempts: 1, error: null })
  })

  test('accepted for some recipients only says who did not get it, and why', async () => {
    const id = await app.ctx.mail.send(app.ctx.db, {
      accountId: app.rootAccountId,
      recipients: ['here@example.org', 'gone@Example.org'],
      subject: 'to two',
      body: '',
    })
    await app.drain()
    const reason = expect.stringContaining('no such mailbox')
    expect(await mailOf(id)).toMatchObject({
      status: 'sent',
      refused: [{ address: 'gone@Example.org', reason }],
    })
    const { items } = await app.api.mail.list({ search: 'to two' })
    expect(items).toMatchObject([{ refused: [{ address: 'gone@Example.org', reason }] }])
    expect(await app.api.mail.state()).toMatchObject({ failed: 1 })
    const [open, closed] = await Promise.all(
      [[app.rootAccountId], []].map((mayRead) => app.ctx.mail.outcomesOf(app.ctx.db, [id], mayRead)),
    )
    expect(open?.get(id)?.refused).toMatchObject([{ reason }])
    expect(closed?.get(id)?.refused).toEqual([{ address: 'gone@Example.org', reason: null }])
  })

  test('of a transaction that is rolled back never existed', async () => {
    const before = smtp.received.length
    const attempt = app.ctx.db.transaction().execute(async (tx) => {
      await app.ctx.mail.send(tx, {
        accountId: null,
        recipients: ['a@example.org'],
        subject: 'never',
        body: '',
      })
      throw new Error('rolled back')
    })
    await expect(attempt).rejects.toThrow('rolled back')
    await app.drain()
    expect(smtp.received.length).toBe(before)
  })

  test('that is refused stays queued with the reason, and leaves when the server accepts it again', async () => {
    smtp.refuse('mailbox busy')
    const id = await app.ctx.mail.send(app.ctx.db, {
      accountId: null,
      recipients: ['a@example.org'],
      subject: 'later',
      body: '',
    })
    await app.drain()
    expect(await mailOf(id)).toMatchObject({
      status: 'queued',
      error: expect.stringContaining('mailbox busy'),
    })
    smtp.refuse(undefined)
    await sendAgain()
    expect(await mailOf(id)).toMatchObject({ status: 'sent', attempts: 2, error: null })
    expect(await doubtAbout(id)).toBeNull()
  })

  test('that the server took without an answer is sent again with the same id, and says so', async () => {
    smtp.hangUpOnce()
    const id = await app.ctx.mail.send(app.ctx.db, {
      accountId: app.rootAccountId,
      recipients: ['night@example.org'],
      subject: 'no answer',
      body: '',
    })
    await app.drain()
    expect(await mailOf(id)).toMatchObject({ status: 'queued' })
    expect(await doubtAbout(id)).toBe('arrived')
    // A refusal of the second attempt does not tell what became of the first.
    smtp.refuse('mailbox busy')
    await sendAgain()
    expect(await doubtAbout(id)).toBe('arrived')
    smtp.refuse(undefined)
    await sendAgain()
    expect(await mailOf(id)).toMatchObject({ status: 'sent' })
    expect(await doubtAbout(id)).toBe('twice')
    expect(await app.api.mail.list({ search: 'no answer' })).toMatchObject({ items: [{ doubt: 'twice' }] })
    const ids = smtp.received.filter(({ subject }) => subject === 'no answer').map((mail) => mail.messageId)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  test('whose sending a crash interrupted may arrive twice', async () => {
    const id = await app.ctx.mail.send(app.ctx.db, {
      accountId: app.rootAccountId,
      recipients: ['night@example.org'],
      subject: 'interrupted',
      body: '',
    })
    // What the crashed process left: handed over, and no answer recorded.
    await app.ctx.pool.query('update mails set handed_over_at = now() where id = $1', [id])
    expect(await doubtAbout(id)).toBeNull()
    await app.drain()
    expect(await doubtAbout(id)).toBe('twice')
  })

  test('whose last attempt fails has failed, with the error of that attempt', async () => {
    smtp.refuse('mailbox busy')
    const id = await send(app.ctx.db, 'refused nine times')
    await app.drain()
    smtp.refuse('mailbox gone')
    await app.ctx.pool.query(`update pgboss.job set retry_count = retry_limit - 1 where state = 'retry'`)
    await sendAgain()
    smtp.refuse(undefined)
    expect(await mailOf(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('mailbox gone'),
      attempts: 2,
    })
    expect(await doubtAbout(id)).toBeNull()
  })

  test('whose last attempt a crash interrupted has failed, and may have arrived', async () => {
    const [before, after] = await app.ctx.db.transaction().execute(async (tx) => {
      const ids = [await send(tx, 'ended before'), await send(tx, 'ended after')] as const
      await interruptLastAttempt(tx, 'mail.send')
      await tx
        .updateTable('mails')
        .set({ handed_over_at: new Date(), error: 'mailbox busy' })
        .where('id', '=', ids[1])
        .execute()
      return ids
    })
    await endOverdueAttempts(app.address, app.ctx.pool)
    await app.drain()
    expect(await mailOf(before)).toMatchObject({
      status: 'failed',
      error: 'The last attempt to send it was interrupted or took too long.',
    })
    expect(await mailOf(after)).toMatchObject({
      status: 'failed',
      error: 'The last attempt to send it was interrupted or took too long. Last known error: mailbox busy',
    })
    expect(await doubtAbout(before)).toBeNull()
    expect(await doubtAbout(after)).toBe('arrived')
  })

  test('that was sent before the process died stays sent', async () => {
    const id = await app.ctx.db.transaction().execute(async (tx) => {
      const sent = await send(tx, 'sent before')
      await interruptLastAttempt(tx, 'mail.send')
      await tx.updateTable('mails').set({ status: 'sent' }).where('id', '=', sent).execute()
      return sent
    })
    await endOverdueAttempts(app.address, app.ctx.pool)
    await app.drain()
    expect(await mailOf(id)).toMatchObject({ status: 'sent', error: null })
  })

  test('that is queued without a job has failed at the next nightly look', async () => {
    const look = async () => {
      await app.ctx.jobs.send(app.ctx.db, 'mail.giveUpLost', {})
      await app.drain()
    }
    const lost = await app.ctx.db.transaction().execute(async (tx) => {
      const id = await send(tx, 'lost')
      await sql`delete from pgboss.job where name = 'mail.send' and data = ${jsonb({ mailId: id })}`.execute(
        tx,
      )
      return id
    })
    smtp.refuse('mailbox busy')
    const waiting = await send(app.ctx.db, 'waiting')
    await app.drain()
    const uncommitted = await app.ctx.db.transaction().execute(async (tx) => {
      const id = await send(tx, 'uncommitted')
      await look()
      return id
    })
    smtp.refuse(undefined)
    expect(await mailOf(lost)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('interrupted'),
    })
    expect(await mailOf(waiting)).toMatchObject({ status: 'queued' })
    await look()
    await sendAgain()
    expect(await mailOf(waiting)).toMatchObject({ status: 'sent' })
    expect(await mailOf(uncommitted)).toMatchObject({ status: 'sent' })
  })

  test('cannot smuggle headers in through its subject', async () => {
    await app.ctx.mail.send(app.ctx.db, {
      accountId: null,
      recipients: ['a@example.org'],
      subject: 'harmless\r\nBcc: victim@example.org',
      body: '',
    })
    await app.drain()
    const mail = smtp.received.at(-1)
    expect(mail?.subject).toBe('harmless Bcc: victim@example.org')
    expect(mail?.bcc).toBeUndefined()
  })
})

test('without a mail server it is kept and can be read by those who manage the account only', async () => {
  await using quiet = await startApp()
  const [own, other] = [await createAccount(quiet), await createAccount(quiet)]
  const roleId = await roleNamed(quiet, 'Account administrator')
  const [admin, stranger] = [
    await createUser(quiet, own, [{ roleId }]),
    await createUser(quiet, other, [{ roleId }]),
  ]
  const mail = { accountId: own.id, recipients: ['a@example.org'], subject: 'Alarm 100%', body: 'text' }
  const id = await quiet.ctx.mail.send(quiet.ctx.db, mail)
  await quiet.drain()
  const { items } = await admin.api.mail.list({ search: '100%' })
  expect(items).toMatchObject([{ id, status: 'kept', subject: 'Alarm 100%', recipients: ['a@example.org'] }])
  expect((await admin.api.mail.list({ search: '1000' })).total).toBe(0)
  expect((await stranger.api.mail.list({})).total).toBe(0)
})
