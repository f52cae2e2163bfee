import type { ApiKey } from '@leitstand/contract'
import { callsPerMinuteMax } from '@leitstand/contract/apikeys'
import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { useRoleChoices } from '../../ui/accounts/roles.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { DateTimeField } from '../../ui/forms/DateTimeField.tsx'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { scopeChoices } from '../rights/index.ts'
import { faultsOf, inputOf, valuesOf } from './values.ts'

interface KeyDialogProps {
  accountId: number
  /** the key to be changed; null creates one */
  editing: ApiKey | null
  onClose: () => void
  /** The token of a new key, which is only shown now. */
  onToken: (token: string) => void
}

/** Creates or changes a key. */
export function KeyDialog(props: KeyDialogProps) {
  const { t } = useTranslation()
  const scopes = useQuery(api.acl.listScopes.queryOptions())
  const roles = useRoleChoices()
  const own = scopes.data?.items.filter(({ accountId }) => accountId === props.accountId)
  const failed = scopes.error ?? roles.error
  return (
    <FormModal
      opened
      onClose={props.onClose}
      title={t(props.editing ? 'apiKeys.edit' : 'apiKeys.create')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      size="lg"
      centered
    >
      {failed ? <ErrorText error={failed} /> : null}
      {own && roles.choices ? (
        <KeyForm
          {...props}
          root={own.find(({ twinId }) => twinId === null)?.id}
          scopes={scopeChoices(own)}
          roles={roles.choices}
        />
      ) : (
        <Loading lines={5} />
      )}
    </FormModal>
  )
}

interface Choice {
  value: string
  label: string
}

function KeyForm({
  editing,
  onClose,
  onToken,
  root,
  scopes,
  roles,
}: KeyDialogProps & { root: number | undefined; scopes: Choice[]; roles: Choice[] }) {
  const { t } = useTranslation()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => valuesOf(editing, root),
    faultsOf,
    save: async (entered) => {
      if (!editing) return (await client.apikey.create(inputOf(entered))).token
      await client.apikey.update({ ...inputOf(entered), id: editing.id, version: editing.version })
      return null
    },
    onMade: onToken,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t(editing ? 'common.save' : 'apiKeys.create')}>
      <TextInput
        label={t('apiKeys.field.title')}
        description={t('apiKeys.titleHint')}
        maxLength={200}
        required
        // The dialog is already open by the time the form's data has loaded.
        autoFocus
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={faultAt('title')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('apiKeys.field.role')}
          data={roles}
          searchable
          required
          value={values.roleId}
          onChange={(roleId) => set({ roleId })}
          error={faultAt('roleId')}
        />
        <Select
          label={t('apiKeys.field.scope')}
          data={scopes}
          searchable
          required
          value={values.scopeId}
          onChange={(scopeId) => set({ scopeId })}
          error={faultAt('scopeId')}
        />
        <DateTimeField
          label={t('apiKeys.field.validFrom')}
          placeholder={t('apiKeys.fromNow')}
          value={values.validFrom}
          onChange={(validFrom) => set({ validFrom })}
        />
        <DateTimeField
          label={t('apiKeys.field.validUntil')}
          placeholder={t('apiKeys.unlimited')}
          value={values.validUntil}
          onChange={(validUntil) => set({ validUntil })}
          error={faultAt('validUntil')}
        />
        <NumberInput
          label={t('apiKeys.field.callsPerMinute')}
          description={t('apiKeys.limitHint', { max: callsPerMinuteMax })}
          allowDecimal={false}
          required
          value={values.callsPerMinute}
          onChange={(callsPerMinute) => set({ callsPerMinute })}
          error={faultAt('callsPerMinute')}
        />
      </SimpleGrid>
    </DialogForm>
  )
}
