import type pg from 'pg'

/** What became of the mails of the platform. */
export interface Posted {
  /** given to the mail server once or more */
  mails: number
  /** sent, and the mail server has none; or not sent at the end */
  lost: number
  /** the mail server has several, and nothing says so */
  doubled: number
  /** the platform says that they may have arrived twice */
  inDoubt: number
  /** a sentence for each that is lost */
  deviations: string[]
}

interface Mail {
  /** its Message-ID */
  id: string
  status: string
  error: string | null
  may_repeat: boolean
}

/** Asks again and again whether something is over. @returns false if it was not in time */
type Wait = (isOver: () => Promise<boolean>) => Promise<boolean>

/**
 * Compares the platform's mails with what the mail server was given, by Message-ID, once none of them waits. Alarms go on
 * reminding every minute, so a mail may have been queued since all were sent; that one is not lost.
 */
export async function auditMails(
  client: pg.Client,
  delivered: ReadonlyMap<string, number>,
  wait: Wait,
): Promise<Posted> {
  let rows: Mail[] = []
  await wait(async () => {
    rows = await readMails(client)
    return rows.every(({ status }) => status !== 'queued')
  })
  const known = new Set(rows.map(({ id }) => id))
  const ghosts = [...delivered.keys()].filter((id) => !known.has(id)).length
  const times = ({ id }: { id: string }) => delivered.get(id) ?? 0
  const lost = rows.filter((mail) => mail.status !== 'sent' || times(mail) === 0)
  return {
    mails: delivered.size,
    lost: lost.length,
    doubled: ghosts + rows.filter((mail) => times(mail) > 1 && !mail.may_repeat).length,
    inDoubt: rows.filter(({ may_repeat: mayRepeat }) => mayRepeat).length,
    deviations: lost.map(
      (mail) =>
        `mail ${mail.id} is ${mail.status}${mail.error ? ` (${mail.error})` : ''}, delivered ${times(mail)} times`,
    ),
  }
}

async function readMails(client: pg.Client): Promise<Mail[]> {
  const { rows } = await client.query<Mail>(
    `select id || '.' || trunc(extract(epoch from created_at) * 1000) || '@leitstand' as id, status, error, may_repeat from mails`,
  )
  return rows
}

/** Longer than any mail takes to send to the mail server of these runs. */
const sendSecondsMax = 15

/**
 * Whether no mail waits to be sent. Later attempts are brought forward, and so is the end of those whose result could not be
 * stored because the database was gone: nobody waits for their time.
 */
export async function areMailsSent(client: pg.Client): Promise<boolean> {
  await client.query(
    `update pgboss.job set state = 'retry', start_after = now() where name = 'mail.send'
      and (state = 'retry' and start_after > now() or state = 'active' and started_on < now() - make_interval(secs => $1))`,
    [sendSecondsMax],
  )
  const { rows } = await client.query<{ waiting: boolean }>(
    `select exists (select from mails where status = 'queued') as waiting`,
  )
  return !rows[0]?.waiting
}
