import type { LockGroup } from '@leitstand/contract/keys'
import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { useUser } from '../../../lib/session.ts'
import { AccountSelect } from '../../../ui/accounts/AccountSelect.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { EditorSheet } from '../../../ui/forms/EditorSheet.tsx'
import { EntityMultiPicker } from '../../../ui/forms/EntityPicker.tsx'
import { useFieldFaults } from '../../../ui/forms/useFieldFaults.ts'
import { useChanged } from '../../../ui/forms/useLeave.tsx'

/** Creates a group of locks, or changes it. */
export default function GroupSheet({ of, onClose }: { of: LockGroup | null; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const user = useUser()
  const [values, setValues] = useState(() => ({
    accountId: of?.accountId ?? user.accountId,
    title: of?.title ?? '',
    lockIds: of?.locks.map(({ id }) => id) ?? [],
  }))
  const [failure, setFailure] = useState<unknown>()
  const dirty = useChanged(values)
  const { faults, attempt, place } = useFieldFaults(
    () => values,
    ({ title }): Record<string, string> => (title.trim() === '' ? { title: t('validation.required') } : {}),
  )
  const set = (change: Partial<typeof values>) => setValues((current) => ({ ...current, ...change }))
  const saving = useMutation({
    mutationFn: async () => {
      const { accountId, lockIds } = values
      const title = values.title.trim()
      if (of === null) await client.isfmAccessMgmt.createGroup({ accountId, title, lockIds })
      else await client.isfmAccessMgmt.updateGroup({ id: of.id, version: of.version, title, lockIds })
    },
    onMutate: () => setFailure(undefined),
    onError: (error) => setFailure(place(error) ? error : undefined),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: api.isfmAccessMgmt.key() })
      notifySuccess(t('common.saved'))
      onClose()
    },
  })
  const titles = new Map(of?.locks.map(({ id, title }) => [String(id), title]))
  return (
    <EditorSheet
      title={t(of === null ? 'keys.createGroup' : 'keys.editGroup')}
      size={480}
      saveLabel={t(of === null ? 'keys.createGroup' : 'common.save')}
      dirty={dirty && !saving.isSuccess}
      busy={saving.isPending}
      failure={failure}
      onSave={() => {
        if (Object.keys(attempt()).length === 0) saving.mutate()
      }}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label={t('keys.field.title')}
        required
        maxLength={200}
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={faults.title}
      />
      <AccountSelect
        label={t('keys.field.account')}
        required
        disabled={of !== null}
        value={String(values.accountId)}
        onChange={(id) => id !== null && set({ accountId: Number(id), lockIds: [] })}
      />
      <EntityMultiPicker
        key={values.accountId}
        label={t('keys.field.doors')}
        value={values.lockIds.map(String)}
        load={async (search) => {
          const input = { limit: 20, accountIds: [values.accountId], ...(search ? { search } : {}) }
          const { items } = await client.isfmAccessMgmt.locks(input)
          return items.map(({ id, twin }) => ({ value: String(id), label: twin.title }))
        }}
        labelOf={async (id) => titles.get(id) ?? id}
        nothing={t('keys.noLocks')}
        onChange={(ids) => set({ lockIds: ids.map(Number) })}
      />
    </EditorSheet>
  )
}
