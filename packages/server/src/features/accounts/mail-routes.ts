import type { MailServerInput, MailSettings } from '@leitstand/contract'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { findServer, passwordPurpose, type StoredServer, storeServer } from '../../platform/mail/servers.ts'
import { Turns } from '../../platform/turns.ts'
import { managedAccount, note } from './account.ts'
import { changesOf, needsPassword, testMail, testRate } from './mail-server.ts'
import { updateSettings } from './store.ts'
import { findAccount } from './tree.store.ts'

/** The mail server of an account: read, set and test it. */
export function mailRoutes(ctx: Context) {
  const { db, clock, mail, brands, outgoing, secrets } = ctx
  const turns = new Turns<number>(testRate)

  /** The password entered, or the stored one when the server is the same. */
  const withPassword = (accountId: number, input: MailServerInput, stored: StoredServer | null) => {
    const { password, ...server } = input
    if (needsPassword(input, stored)) throw new AppError('MAIL_PASSWORD_NEEDED')
    const purpose = passwordPurpose(accountId)
    const opened = stored?.password ? secrets.open(stored.password, purpose) : ''
    return { ...server, password: server.user === '' ? '' : (password ?? opened) }
  }

  return {
    getMailServer: os.tenant.getMailServer.handler(({ input: { id }, context: { caller } }) =>
      settingsOf(ctx, caller, id),
    ),
    setMailServer: os.tenant.setMailServer.handler(
      async ({ input: { id, version, server }, context: { caller } }) => {
        // Checked first: others must not probe names in this network.
        await managedAccount(db, caller, id)
        if (server !== null) await demandReachable(outgoing, server.host)
        await db.transaction().execute(async (tx) => {
          const account = await managedAccount(tx, caller, id)
          if (!(await updateSettings(tx, id, version, {}))) throw new AppError('VERSION_CONFLICT')
          const before = await ownServer(tx, id)
          const opened = server && withPassword(id, server, before)
          await storeServer(
            tx,
            id,
            opened && {
              ...opened,
              password: opened.user === '' ? null : secrets.seal(opened.password, passwordPurpose(id)),
            },
          )
          await note(tx, caller, 'update', account, changesOf(before, server))
        })
        return settingsOf(ctx, caller, id)
      },
    ),
    testMailServer: os.tenant.testMailServer.handler(
      async ({ input: { id, to, server }, context: { caller } }) => {
        const account = await managedAccount(db, caller, id)
        if (!turns.take(id, clock.now().getTime())) throw new AppError('TOO_MANY_REQUESTS')
        const stored = await ownServer(db, id)
        const trial = server && withPassword(id, server, stored)
        await note(db, caller, 'testMail', account, { to: [null, to] })
        const { senderName: name, senderAddress: address } = trial ?? { senderName: '', senderAddress: '' }
        // The brand is of an administrator, as the name of the account is.
        const isOwn = Boolean(trial || stored)
        const values = { account: isOwn ? account.name : '' }
        const presence = await brands.of(db, isOwn ? id : null)
        const said = await mail.render(db, testMail, { accountId: id, language: 'de', values }, presence)
        return mail.probe(id, { recipients: [to], ...said }, trial && { ...trial, sender: { name, address } })
      },
    ),
  }
}

/** The account's own and inherited settings, as far as the caller may see them. */
async function settingsOf({ db, mail }: Context, caller: Caller, id: number): Promise<MailSettings> {
  const { version, parentId } = await managedAccount(db, caller, id)
  const own = await ownServer(db, id)
  const above = await findServer(db, parentId)
  const sender = above?.senderAddress ?? mail.platformSender ?? null
  const account = above && (await findAccount(db, above.accountId, caller.scopeIds('all', 'manage')))
  return {
    version,
    own: own && {
      host: own.host,
      port: own.port,
      security: own.security,
      user: own.user,
      senderName: own.senderName,
      senderAddress: own.senderAddress,
      hasPassword: own.password !== null,
    },
    inherited: {
      kind: above ? 'account' : sender === null ? 'none' : 'platform',
      accountName: account?.name ?? null,
      // For an account the caller does not see, only its existence is revealed.
      sender: above && !account ? null : sender,
    },
  }
}

/** An unknown host may resolve later and is accepted; a forbidden one is never stored. */
async function demandReachable(outgoing: Context['outgoing'], host: string): Promise<void> {
  try {
    await outgoing.addressOf(host)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'OUTGOING_HOST_UNKNOWN') throw error
  }
}

async function ownServer(db: Executor, id: number): Promise<StoredServer | null> {
  const found = await findServer(db, id)
  return found?.accountId === id ? found : null
}
