import { AccountInput } from '@leitstand/contract/accounts'
import { Text, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, client } from '../../lib/api.ts'
import { check } from '../../lib/validation.ts'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { type Account, accountPath, invalidateAccounts } from './queries.ts'

interface ActionProps {
  account: Account
  opened: boolean
  onClose: () => void
}

interface CreateProps extends Omit<ActionProps, 'account'> {
  parent: Account
  /** absent: the page of the new account opens */
  onMade?: () => Promise<unknown>
}

export function CreateAccount({ opened, ...props }: CreateProps) {
  const { t } = useTranslation()
  return (
    <FormModal opened={opened} onClose={props.onClose} title={t('accounts.createTitle')} centered>
      <CreateForm {...props} />
    </FormModal>
  )
}

const newFaults = check(AccountInput.pick({ name: true, description: true }))

function CreateForm({ parent, onClose, onMade }: Omit<CreateProps, 'opened'>) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ name: '', description: '' }),
    faultsOf: newFaults,
    save: ({ name, description }) =>
      client.tenant.create({
        name: name.trim(),
        description: description.trim(),
        parentId: parent.id,
        timeZone: parent.timeZone,
      }),
    onMade: async (created) => {
      onClose()
      await invalidateAccounts(cache)
      notifySuccess(t('accounts.createdNote', { name: created.name }))
      await (onMade ? onMade() : navigate({ to: accountPath(created.id) }))
    },
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('accounts.createConfirm')}>
      <Text size="sm">{t('accounts.createText', { parent: parent.name })}</Text>
      <TextInput
        label={t('accounts.field.name')}
        value={values.name}
        maxLength={200}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={faultAt('name')}
        data-autofocus
        required
      />
      <Textarea
        label={t('accounts.field.description')}
        value={values.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={faultAt('description')}
        autosize
        minRows={2}
        maxRows={6}
      />
    </DialogForm>
  )
}

export function MoveAccount({ account, opened, onClose }: ActionProps) {
  const { t } = useTranslation()
  const title = t('accounts.moveTitle', { name: account.name })
  return (
    <FormModal opened={opened} onClose={onClose} title={title} centered>
      <MoveForm account={account} onClose={onClose} />
    </FormModal>
  )
}

const parentFaults = check(z.object({ parentId: z.string() }))

function MoveForm({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ parentId: null as string | null }),
    faultsOf: parentFaults,
    save: ({ parentId }) =>
      client.tenant.move({ id: account.id, version: account.version, parentId: Number(parentId) }),
    onMade: async () => {
      onClose()
      await invalidateAccounts(cache)
      notifySuccess(t('accounts.movedNote', { name: account.name }))
    },
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('accounts.moveConfirm')}>
      <Text size="sm">{t('accounts.moveText')}</Text>
      <AccountSelect
        label={t('accounts.field.parent')}
        value={values.parentId}
        onChange={(parentId) => set({ parentId })}
        error={faultAt('parentId')}
        without={account.id}
        required
      />
    </DialogForm>
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
