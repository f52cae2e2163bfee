import { Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { ConfirmDanger, ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { type Account, accountPath, invalidateAccounts } from './queries.ts'

interface ActionProps {
  account: Account
  opened: boolean
  onClose: () => void
}

/** Runs a dialog's action: tracks the busy state and the error, and closes the dialog on success. */
function useAction(close: () => void) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await work()
      close()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  const reset = () => {
    setFailure(undefined)
    close()
  }
  return { busy, failure, run, reset }
}

export function CreateAccount({
  parent,
  opened,
  onClose,
}: {
  parent: Account
  opened: boolean
  onClose: () => void
}) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const action = useAction(() => {
    setName('')
    onClose()
  })
  const create = () =>
    action.run(async () => {
      const input = { name: name.trim(), parentId: parent.id, timeZone: parent.timeZone }
      const created = await client.tenant.create(input)
      await invalidateAccounts(cache)
      notifySuccess(t('accounts.createdNote', { name: created.name }))
      await navigate({ to: accountPath(created.id) })
    })
  return (
    <ConfirmDialog
      opened={opened}
      title={t('accounts.createTitle')}
      text={t('accounts.createText', { parent: parent.name })}
      confirmLabel={t('accounts.createConfirm')}
      onCancel={action.reset}
      onConfirm={() => void create()}
      busy={action.busy}
      disabled={name.trim() === ''}
    >
      <TextInput
        label={t('accounts.field.name')}
        value={name}
        maxLength={200}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => (event.key === 'Enter' && name.trim() !== '' ? void create() : undefined)}
        data-autofocus
        required
      />
      {action.failure === undefined ? null : <ErrorText error={action.failure} />}
    </ConfirmDialog>
  )
}

export function MoveAccount({ account, opened, onClose }: ActionProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [parent, setParent] = useState<string | null>(null)
  const action = useAction(() => {
    setParent(null)
    onClose()
  })
  const move = () =>
    action.run(async () => {
      await client.tenant.move({ id: account.id, version: account.version, parentId: Number(parent) })
      await invalidateAccounts(cache)
      notifySuccess(t('accounts.movedNote', { name: account.name }))
    })
  return (
    <ConfirmDialog
      opened={opened}
      title={t('accounts.moveTitle', { name: account.name })}
      text={t('accounts.moveText')}
      confirmLabel={t('accounts.moveConfirm')}
      onCancel={action.reset}
      onConfirm={() => void move()}
      busy={action.busy}
      disabled={parent === null}
    >
      <AccountSelect
        label={t('accounts.field.parent')}
        value={parent}
        onChange={setParent}
        without={account.id}
        required
      />
      {action.failure === undefined ? null : <ErrorText error={action.failure} />}
    </ConfirmDialog>
  )
}

/** Deletes an account. It must be empty, and the user has to type the number of its devices. */
export function DeleteAccount({ account, opened, onClose }: ActionProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const left = useQuery(
    api.tenant.dependencies.queryOptions({ input: { id: account.id }, enabled: opened, staleTime: 0 }),
  )
  const count = left.data?.virtualDevices ?? 0
  return (
    <ConfirmDanger
      opened={opened}
      onClose={onClose}
      title={t('accounts.deleteTitle', { name: account.name })}
      text={
        <>
          <Text span inherit display="block">
            {t('accounts.deleteText')}
          </Text>
          <Text span inherit display="block" mt={6}>
            {t('accounts.deleteCount', { count })}
          </Text>
        </>
      }
      confirmLabel={t('accounts.delete')}
      typeToConfirm={String(count)}
      dependencies={{
        key: ['tenant', account.id],
        load: () => client.tenant.dependencies({ id: account.id }),
      }}
      onConfirm={async () => {
        await client.tenant.delete({ id: account.id, virtualDevices: count })
        notifySuccess(t('accounts.deletedNote', { name: account.name }))
        await navigate({ to: account.parentId === null ? '/account-mgmt' : accountPath(account.parentId) })
        await invalidateAccounts(cache, account.id)
      }}
    />
  )
}
