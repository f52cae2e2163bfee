import type { ApiKey } from '@leitstand/contract'
import { callsPerMinuteMax } from '@leitstand/contract/apikeys'
import { Button, Group, Modal, NumberInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { DateTimeField } from '../../ui/DateTimeField.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { faultsOf, inputOf, type KeyValues, valuesOf } from './values.ts'

interface KeyDialogProps {
  accountId: number
  /** the key to be changed; null creates one */
  editing: ApiKey | null
  onClose: () => void
  /** The token of a new key, which is shown only now. */
  onToken: (token: string) => void
}

/** Creates or changes a key. */
export function KeyDialog(props: KeyDialogProps) {
  const { t } = useTranslation()
  const scopes = useQuery(api.acl.listScopes.queryOptions())
  const roles = useQuery(api.acl.listRoles.queryOptions({ input: { limit: 1000 } }))
  const own = scopes.data?.items.filter(({ accountId }) => accountId === props.accountId)
  const failed = scopes.error ?? roles.error
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={t(props.editing ? 'apiKeys.edit' : 'apiKeys.create')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      size="lg"
      centered
    >
      {failed ? <ErrorText error={failed} /> : null}
      {own && roles.data ? (
        <KeyForm
          {...props}
          root={own.find(({ twinId }) => twinId === null)?.id}
          scopes={own.map(({ id, name }) => ({ value: String(id), label: name }))}
          roles={roles.data.items.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      ) : (
        <Loading lines={5} />
      )}
    </Modal>
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
  const [values, setValues] = useState(() => valuesOf(editing, root))
  const [tried, setTried] = useState(false)
  const set = (change: Partial<KeyValues>) => setValues((current) => ({ ...current, ...change }))
  const faults = faultsOf(values)
  const faultAt = (name: keyof KeyValues) => (tried && faults[name] ? t(faults[name]) : null)
  const save = useMutation({
    mutationFn: async () => {
      if (!editing) return (await client.apikey.create(inputOf(values))).token
      await client.apikey.update({ ...inputOf(values), id: editing.id, version: editing.version })
      return null
    },
    onSuccess: (token) => {
      if (token !== null) return onToken(token)
      notifySuccess(t('common.saved'))
      return onClose()
    },
  })
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (Object.keys(faults).length === 0) save.mutate()
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t('apiKeys.field.title')}
          description={t('apiKeys.titleHint')}
          maxLength={200}
          required
          // The dialog has opened already when what the form needs has been read.
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
        {save.isError ? <ErrorText error={save.error} /> : null}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t(editing ? 'common.save' : 'apiKeys.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
