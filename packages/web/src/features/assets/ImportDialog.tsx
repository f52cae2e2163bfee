import type { AssetRowIssue } from '@leitstand/contract/assets'
import { Alert, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconCheck, IconUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { DialogFoot } from '../../ui/forms/DialogFoot.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { findTwins, nameTwin } from '../twins/index.ts'
import { type FileRow, issuesByLine, parseAssets } from './pure.ts'
import { useRereadAssets } from './useAssets.ts'

/** As in the contract, without loading its schemas. */
const rowsMax = 500
const shownMax = 100

/** Assets from a list, all or none. */
export default function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      size="xl"
      title={t('assets.importTitle')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <ImportForm onClose={onClose} />
    </FormModal>
  )
}

function ImportForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const refresh = useRereadAssets()
  const [text, setText] = useState('')
  const [parentId, setParentId] = useState<string | null>(null)
  const [unread, setUnread] = useState<unknown>(null)
  const rows = parseAssets(text)
  const send = useMutation({
    mutationFn: () =>
      client.isAssetMgmt.import({ parentId: Number(parentId), rows: rows.map(({ row }) => row) }),
    onSuccess: async ({ ids }) => {
      await refresh()
      notifySuccess(t('assets.imported', { count: ids.length }))
      onClose()
    },
  })
  const found = send.isError ? issuesOf(send.error) : []
  const change = (next: string) => {
    setText(next)
    setUnread(null)
    send.reset()
  }
  const isWhole = rows.length > 0 && rows.length <= rowsMax && rows.every(({ problem }) => problem === null)
  return (
    <Stack gap="md">
      <Text size="sm">{t('assets.importText')}</Text>
      <CodeBlock code={t('assets.importExample')} label={t('assets.importColumns')} />
      <EntityPicker
        label={t('assets.parent')}
        description={t('assets.parentHint')}
        required
        value={parentId}
        load={findTwins}
        labelOf={nameTwin}
        onChange={setParentId}
      />
      <Textarea
        label={t('assets.importList')}
        autosize
        minRows={4}
        maxRows={10}
        spellCheck={false}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <Group>
        <FileButton
          accept=".csv,text/csv,text/plain"
          onChange={(file) => void file?.text().then(change, setUnread)}
        >
          {(props) => (
            <Button {...props} variant="default" leftSection={<Icon of={IconUpload} />}>
              {t('assets.importFile')}
            </Button>
          )}
        </FileButton>
      </Group>
      {unread === null ? null : <ErrorText error={unread} />}
      {rows.length > rowsMax ? <Alert color="red">{t('assets.importMany', { count: rowsMax })}</Alert> : null}
      {rows.length > 0 && rows.length <= rowsMax ? (
        <Preview rows={rows} issues={issuesByLine(rows, found)} />
      ) : null}
      {send.isError && found.length === 0 ? <ErrorText error={send.error} /> : null}
      {found.length > 0 ? <Alert color="red">{t('assets.importRefused')}</Alert> : null}
      <DialogFoot>
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button
          disabled={!isWhole || parentId === null}
          loading={send.isPending}
          onClick={() => send.mutate()}
        >
          {t('assets.importSave', { count: rows.length })}
        </Button>
      </DialogFoot>
    </Stack>
  )
}

/** What the server found wrong in the rows; empty: something else failed. */
function issuesOf(error: unknown): AssetRowIssue[] {
  const { rows } = describeError(error).details as { rows?: AssetRowIssue[] }
  return rows ?? []
}

function Preview({ rows, issues }: { rows: readonly FileRow[]; issues: ReadonlyMap<number, AssetRowIssue> }) {
  const { t } = useTranslation()
  // Lines with problems come first: they may be beyond what is shown.
  const isWrong = ({ line, problem }: FileRow) => problem !== null || issues.has(line)
  const sorted = [...rows.filter(isWrong), ...rows.filter((row) => !isWrong(row))]
  return (
    <>
      <SimpleTable<FileRow>
        label={t('assets.importList')}
        rows={sorted.slice(0, shownMax)}
        rowKey={({ line }) => line}
        spacing={6}
        columns={[
          { key: 'title', title: t('assets.field.title'), render: ({ row }) => row.title || '–' },
          {
            key: 'line',
            title: t('assets.importLine'),
            className: 'tabular',
            render: ({ line }) => line,
          },
          {
            key: 'result',
            title: t('assets.importResult'),
            render: ({ line, problem }) => {
              const issue = issues.get(line)
              if (problem === null && issue === undefined) return <Icon of={IconCheck} size={16} />
              return (
                <Text span size="sm" c="var(--health-error)">
                  {issue
                    ? `${t(`assets.field.${issue.field}`)}: ${t(`assets.why.${issue.why}`)}`
                    : t('assets.why.title')}
                </Text>
              )
            },
          },
          { key: 'category', title: t('assets.field.category'), render: ({ row }) => row.category },
          {
            key: 'number',
            title: t('assets.field.inventoryNumber'),
            render: ({ row }) => row.inventoryNumber,
          },
          { key: 'home', title: t('assets.field.homeZone'), render: ({ row }) => row.homeZone },
          { key: 'tracker', title: t('assets.field.tracker'), render: ({ row }) => row.tracker },
        ]}
      />
      {rows.length > shownMax ? (
        <Text size="sm" c="dimmed">
          {t('assets.importMore', { count: rows.length - shownMax })}
        </Text>
      ) : null}
    </>
  )
}
