import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess, notifyWarning } from '../../ui/feedback/notify.ts'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { useChanged, useLeave } from '../../ui/forms/useLeave.tsx'
import { findTwins, nameTwin, type TwinActionProps, useTwinsChanged } from '../twins/index.ts'
import { PartChoices } from './CopyFields.tsx'
import { allParts, jobBehind, titleMax } from './choices.ts'

/** Copies a twin. Opens the copy afterwards, or the job that makes it. */
export default function DuplicateTwin({ twin, onClose }: TwinActionProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const changed = useTwinsChanged()
  const [title, setTitle] = useState(() =>
    t('copies.duplicate.titleOf', { title: twin.title }).slice(0, titleMax),
  )
  const [parent, setParent] = useState(twin.parentId === null ? null : String(twin.parentId))
  const [account, setAccount] = useState<string | null>(String(twin.accountId))
  const [parts, setParts] = useState(allParts)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const contents = useQuery(
    api.twinCopy.contents.queryOptions({ input: { id: twin.id, descendants: parts.descendants } }),
  )
  const edited = useChanged({ title, parent, account, parts })
  const { close, question } = useLeave(edited && !busy, onClose)
  const toJob = (id: number) =>
    navigate({ to: '/background-jobs', search: { job: String(id) }, ignoreBlocker: true })

  const run = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      const target = parent === null ? { accountId: Number(account) } : { parentId: Number(parent) }
      const { twinId, job } = await client.twinCopy.duplicate({ id: twin.id, title, ...target, ...parts })
      onClose()
      if (job) return await toJob(job.id)
      notifySuccess(t('copies.duplicate.done', { title }))
      await changed()
      await navigate({ to: `/digitaltwin-mgmt/${twinId}`, ignoreBlocker: true })
    } catch (error) {
      const jobId = jobBehind(describeError(error))
      if (jobId === null) {
        setFailure(error)
        setBusy(false)
        return
      }
      notifyWarning(describeError(error).text)
      onClose()
      await toJob(jobId)
    }
  }
  const tooMany = (contents.data?.twins ?? 0) > (contents.data?.twinsMax ?? 0)
  const fits = title.trim() !== '' && (parent !== null || account !== null) && !tooMany
  return (
    <Modal
      opened
      onClose={close}
      title={t('copies.duplicate.heading', { title: twin.title })}
      size="lg"
      centered
    >
      <Stack gap="md">
        <TextInput
          label={t('twins.title')}
          required
          data-autofocus
          maxLength={titleMax}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <EntityPicker
          label={t('twins.parent')}
          placeholder={t('twins.noParent')}
          value={parent}
          onChange={setParent}
          load={findTwins}
          labelOf={nameTwin}
        />
        {parent === null ? (
          <AccountSelect label={t('twins.account')} required value={account} onChange={setAccount} />
        ) : null}
        {contents.isLoadingError ? (
          <ErrorState error={contents.error} onRetry={() => void contents.refetch()} compact />
        ) : contents.data ? (
          <PartChoices contents={contents.data} parts={parts} onChange={setParts} />
        ) : (
          <Loading lines={6} />
        )}
        {failure === undefined ? null : <ErrorText error={failure} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button onClick={() => void run()} loading={busy} disabled={!fits || !contents.data}>
            {t('copies.duplicate.run', { count: contents.data?.twins ?? 1 })}
          </Button>
        </Group>
      </Stack>
      {question}
    </Modal>
  )
}
