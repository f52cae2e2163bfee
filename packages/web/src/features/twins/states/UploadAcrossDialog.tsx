import { Modal, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { useSession } from '../../../lib/session.ts'
import { useAccounts } from '../../../ui/accounts/AccountFilter.tsx'
import { accountTree } from '../../../ui/accounts/accountTree.ts'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { UploadFields } from './UploadFields.tsx'

/** Uploads values of several twins and devices of an account from one file. */
export default function UploadAcrossDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const session = useSession()
  const accounts = accountTree(useAccounts().data?.items ?? [])
  const [account, setAccount] = useState(() => (session.status === 'user' ? String(session.tenantId) : '0'))
  const send = (dryRun: boolean, chosen: File, accountId = account) =>
    client.stateValue.uploadAcross({
      file: chosen,
      accountId: Number(accountId),
      dryRun,
    })
  const check = useMutation({
    mutationFn: ({ chosen, accountId }: { chosen: File; accountId: string }) => send(true, chosen, accountId),
  })
  const upload = useMutation({
    mutationFn: (chosen: File) => send(false, chosen),
    onSuccess: async ({ values, jobs }) => {
      notifySuccess(jobs.length === 0 ? t('valueUpload.done', { count: values }) : t('valueUpload.started'))
      await cache.invalidateQueries({ queryKey: api.stateOverview.key() })
      onClose()
    },
  })
  const choose = (chosen: File | null, accountId = account) => {
    setFile(chosen)
    setAccount(accountId)
    upload.reset()
    check.reset()
    if (chosen) check.mutate({ chosen, accountId })
  }
  return (
    <Modal opened onClose={onClose} size="lg" title={t('valueUpload.titleAcross')}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('valueUpload.textAcross')}
        </Text>
        {accounts.length > 1 ? (
          <Select
            label={t('valueUpload.account')}
            searchable
            allowDeselect={false}
            data={accounts.map(({ account: { id, name }, depth }) => ({
              value: String(id),
              label: `${'\u2003'.repeat(depth)}${name}`,
            }))}
            value={account}
            onChange={(chosen) => choose(file, chosen ?? account)}
          />
        ) : null}
        <UploadFields
          file={file}
          onChoose={(chosen) => choose(chosen)}
          check={check}
          upload={upload}
          onClose={onClose}
        />
      </Stack>
    </Modal>
  )
}
