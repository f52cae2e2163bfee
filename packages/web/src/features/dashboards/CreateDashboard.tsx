import { NewDashboard } from '@leitstand/contract/dashboards'
import { Button, Group, Modal, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { useSession } from '../../lib/session.ts'
import { check } from '../../lib/validation.ts'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { accountTree } from '../../ui/accounts/accountTree.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { applyFieldIssues } from '../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useLeave } from '../../ui/forms/useLeave.tsx'
import { findTwins, nameTwin } from '../twins/index.ts'

interface Values extends Record<string, unknown> {
  name: string
  description: string
  accountId: string | null
  parentDtwinId: string | null
}

const toInput = ({ accountId, parentDtwinId, ...texts }: Values) => ({
  ...texts,
  accountId: Number(accountId),
  parentDtwinId: parentDtwinId === null ? null : Number(parentDtwinId),
})
const faultsOf = check(NewDashboard)

/** Dialog that creates a dashboard and opens it in edit mode. */
export function CreateDashboard({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const accounts = useAccounts()
  const session = useSession()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const own = session.status === 'user' ? session.tenantId : null
  const form = useCheckedForm<Values>({
    initialValues: {
      name: '',
      description: '',
      parentDtwinId: null,
      accountId: own === null ? null : String(own),
    },
    validate: (values) => faultsOf(toInput(values)),
  })
  const { close, question } = useLeave(form.isDirty() && !busy, onClose)
  const submit = form.onSubmit(async (values) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const board = await client.dashboards.create(toInput(values))
      await cache.invalidateQueries({ queryKey: api.dashboards.list.key() })
      onClose()
      await navigate({ to: `/dashboards/${board.id}`, search: { edit: '1' } })
    } catch (error) {
      if (applyFieldIssues(form, error)) setFailure(error)
      setBusy(false)
    }
  })
  const tree = accountTree(accounts.data?.items ?? [])
  return (
    <Modal opened onClose={close} title={t('dashboards.create')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput label={t('dashboards.name')} required data-autofocus {...form.getInputProps('name')} />
          <Textarea
            label={t('dashboards.description')}
            autosize
            minRows={2}
            {...form.getInputProps('description')}
          />
          {tree.length > 1 ? (
            <Select
              label={t('dashboards.account')}
              required
              searchable
              data={tree.map(({ account, depth }) => ({
                value: String(account.id),
                label: `${'\u2003'.repeat(depth)}${account.name}`,
              }))}
              {...form.getInputProps('accountId')}
            />
          ) : null}
          <EntityPicker
            label={t('dashboards.twin')}
            description={t('dashboards.twinHint')}
            placeholder={t('dashboards.noTwin')}
            value={form.values.parentDtwinId}
            onChange={(value) => form.setFieldValue('parentDtwinId', value)}
            load={findTwins}
            labelOf={nameTwin}
          />
          {failure === undefined ? null : <ErrorText error={failure} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {t('dashboards.create')}
            </Button>
          </Group>
        </Stack>
      </form>
      {question}
    </Modal>
  )
}
