import { List, Radio, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, client } from '../../lib/api.ts'
import { check } from '../../lib/validation.ts'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { type MovePreview, moveLines } from './moveLines.ts'
import { invalidateUsers, type User, userName, userPath } from './queries.ts'

interface MoveUserProps {
  user: User
  opened: boolean
  onClose: () => void
}

/** Moves a user to another account, after showing what goes along and what does not. */
export function MoveUser({ user, opened, onClose }: MoveUserProps) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened={opened}
      onClose={onClose}
      title={t('users.move.title', { name: userName(user) })}
      centered
    >
      <MoveForm user={user} onClose={onClose} />
    </FormModal>
  )
}

const faultsOf = check(z.object({ accountId: z.string() }))
type Roles = 'replace' | 'keep'

function MoveForm({ user, onClose }: Omit<MoveUserProps, 'opened'>) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ accountId: null as string | null, roles: 'replace' as Roles }),
    faultsOf,
    save: ({ accountId, roles }) =>
      client.user.move({ id: user.id, version: user.version, accountId: Number(accountId), roles }),
    onMade: async (moved) => {
      onClose()
      notifySuccess(t('users.move.done', { name: userName(moved) }))
      cache.setQueryData(api.user.get.queryKey({ input: { id: moved.id } }), moved)
      await navigate({ to: userPath(moved) })
      await invalidateUsers(cache)
    },
    onClose,
  })
  const { accountId, roles } = values
  const preview = useQuery(
    api.user.previewMove.queryOptions({
      input: { id: user.id, accountId: Number(accountId), roles },
      enabled: accountId !== null,
      staleTime: 0,
    }),
  )
  return (
    <DialogForm form={form} saveLabel={t('users.move.confirm')}>
      <AccountSelect
        label={t('users.move.to')}
        value={accountId}
        onChange={(id) => set({ accountId: id })}
        error={faultAt('accountId')}
        required
      />
      <Radio.Group
        label={t('users.move.roles')}
        value={roles}
        onChange={(value) => set({ roles: value as Roles })}
      >
        <Stack gap={8} mt={6}>
          <Radio value="replace" label={t('users.move.replace')} />
          <Radio value="keep" label={t('users.move.keep')} />
        </Stack>
      </Radio.Group>
      {accountId === null ? null : preview.isError ? (
        <ErrorText error={preview.error} />
      ) : preview.data ? (
        <Preview preview={preview.data} />
      ) : (
        <Loading lines={3} />
      )}
    </DialogForm>
  )
}

function Preview({ preview }: { preview: MovePreview }) {
  const { t } = useTranslation()
  return (
    <div role="status">
      <Text size="sm" fw={550} mb={4}>
        {t('users.move.what')}
      </Text>
      <List size="sm" spacing={4}>
        {moveLines(t, preview).map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </div>
  )
}
