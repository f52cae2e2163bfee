import type { JobFile } from '@leitstand/contract/jobs'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { JobRecord } from '../jobs/index.ts'

const texts = {
  de: {
    subject: (title: string) => `Export fertig: ${title}`,
    body: (title: string, rows: string, url: string) =>
      `Der Export „${title}“ ist fertig: ${rows} Zeilen.\n\nHerunterladen: ${url}\n\nDie Datei wird nach sechs Monaten gelöscht.`,
  },
  en: {
    subject: (title: string) => `Export ready: ${title}`,
    body: (title: string, rows: string, url: string) =>
      `The export “${title}” is ready: ${rows} rows.\n\nDownload: ${url}\n\nThe file is deleted after six months.`,
  },
} as const

/** Tells the user who asked for an export that it is done, in the transaction that says so. */
export async function sendReady(
  { mail, config }: Pick<Context, 'mail' | 'config'>,
  tx: Executor,
  job: Pick<JobRecord, 'id' | 'userId' | 'accountId' | 'title'>,
  file: JobFile,
  language: 'de' | 'en',
): Promise<void> {
  if (job.userId === null) return
  const user = await tx.selectFrom('users').select('email').where('id', '=', job.userId).executeTakeFirst()
  if (!user) return
  const { subject, body } = texts[language]
  const rows = file.rows.toLocaleString(language)
  await mail.send(tx, {
    accountId: job.accountId,
    recipients: [user.email],
    subject: subject(job.title),
    body: body(job.title, rows, `${config.publicUrl}/#/background-jobs?job=${job.id}`),
    origin: { backgroundJob: job.id },
  })
}
