import type { JobFile } from '@leitstand/contract/jobs'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { mailKind } from '../../platform/mail/templates/kind.ts'
import type { JobRecord } from '../jobs/index.ts'

/** Tells that an export is done. */
export const readyMail = mailKind({
  id: 'exportReady',
  area: 'exports',
  title: { de: 'Export fertig', en: 'Export ready' },
  readers: { de: 'die Person, die den Export gestartet hat', en: 'the person who started the export' },
  languages: 'spoken',
  variables: {
    title: {
      type: 'text',
      label: { de: 'Titel des Exports', en: 'Title of the export' },
      example: { de: 'Pegel der Woche', en: 'Levels of the week' },
    },
    rows: {
      type: 'text',
      label: { de: 'Anzahl der Zeilen', en: 'Number of rows' },
      example: { de: '12.480', en: '12,480' },
    },
    link: {
      type: 'link',
      label: { de: 'Link zum Herunterladen', en: 'Link for the download' },
      example: {
        de: 'https://iot.example/#/background-jobs?job=12',
        en: 'https://iot.example/#/background-jobs?job=12',
      },
      isRequired: true,
    },
  },
  texts: {
    de: {
      subject: 'Export fertig: {{title}}',
      body: 'Der Export „{{title}}“ ist fertig: {{rows}} Zeilen.\n\n[Herunterladen]({{link}})\n\nDie Datei wird nach sechs Monaten gelöscht.',
    },
    en: {
      subject: 'Export ready: {{title}}',
      body: 'The export “{{title}}” is ready: {{rows}} rows.\n\n[Download]({{link}})\n\nThe file is deleted after six months.',
    },
  },
})

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
  await mail.write(tx, readyMail, {
    accountId: job.accountId,
    recipients: [user.email],
    language,
    values: {
      title: job.title,
      rows: file.rows.toLocaleString(language),
      link: `${config.publicUrl}/#/background-jobs?job=${job.id}`,
    },
    origin: { backgroundJob: job.id },
  })
}
