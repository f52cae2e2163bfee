import { type ImportedDevice, importLimits } from '@leitstand/contract/driverImport'
import { Button, Checkbox, FileInput, Group, Stack, Text } from '@mantine/core'
import { ORPCError } from '@orpc/client'
import { IconFileZip, IconFolder } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { formatBytes } from '../../../lib/format.ts'
import { useAccounts } from '../../../ui/accounts/AccountFilter.tsx'
import { AccountSelect } from '../../../ui/accounts/AccountSelect.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { FormModal } from '../../../ui/forms/FormModal.tsx'
import { useLeave } from '../../../ui/forms/useLeave.tsx'
import { invalidateDrivers } from '../queries.ts'
import { DeviceRow } from './DeviceRow.tsx'
import { archiveOf, type FolderFile, filesOfFolder } from './folder.ts'
import classes from './importing.module.css'

/**
 * Imports drivers from a device repository's archive: shows its content first, then imports the selection.
 */
export function ImportDrivers({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <FormModal opened={opened} onClose={onClose} title={t('drivers.import.title')} size="xl" centered>
      <ImportForm onClose={onClose} />
    </FormModal>
  )
}

function ImportForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const accounts = useAccounts().data?.items ?? []
  const [account, setAccount] = useState<string | null>(null)
  const accountId = account ?? (accounts.length === 1 && accounts[0] ? String(accounts[0].id) : null)
  const { file, items, busy, error, look, pack, take } = useImport(accountId)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const ready = items?.filter(({ state }) => state === 'ready') ?? []
  const chosen = ready.filter(({ key }) => !left.has(key))
  const imported = items?.filter(({ state }) => state === 'imported').length ?? 0
  const { close, question } = useLeave(items !== undefined && imported === 0, onClose)
  const toggle = (keys: readonly string[], on: boolean) =>
    setLeft((before) => new Set(on ? [...before].filter((key) => !keys.includes(key)) : [...before, ...keys]))
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('drivers.import.text')}
      </Text>
      {accounts.length > 1 ? (
        <AccountSelect
          label={t('drivers.field.account')}
          value={accountId}
          onChange={(id) => {
            setAccount(id)
            look(null)
          }}
          required
          disabled={busy}
        />
      ) : null}
      <FileInput
        label={t('drivers.import.file')}
        description={t('drivers.import.fileHint', { size: formatBytes(importLimits.archiveBytesMax) })}
        placeholder={t('drivers.import.choose')}
        accept=".zip,.gz,.tgz,application/zip,application/gzip"
        leftSection={<Icon of={IconFileZip} />}
        value={file}
        onChange={(chosenFile) => {
          setLeft(new Set())
          look(chosenFile)
        }}
        disabled={accountId === null || busy}
        clearable
      />
      <FolderButton
        disabled={accountId === null || busy}
        onFolder={(files) => {
          setLeft(new Set())
          void pack(files)
        }}
      />
      {error === undefined ? null : <ErrorText error={error} />}
      {busy && !items ? <Loading lines={4} /> : null}
      {items ? (
        <>
          <Group justify="space-between" gap={8}>
            <Text size="sm" role="status">
              {imported > 0
                ? t('drivers.import.done', { count: imported })
                : t('drivers.import.found', { count: items.length, ready: ready.length })}
            </Text>
            {ready.length > 1 ? (
              <Checkbox
                label={t('drivers.import.all')}
                checked={chosen.length === ready.length}
                indeterminate={chosen.length > 0 && chosen.length < ready.length}
                onChange={(event) =>
                  toggle(
                    ready.map(({ key }) => key),
                    event.currentTarget.checked,
                  )
                }
              />
            ) : null}
          </Group>
          <ul className={classes.list}>
            {items.map((item) => (
              <DeviceRow
                key={item.key}
                item={item}
                chosen={!left.has(item.key)}
                onToggle={(on) => toggle([item.key], on)}
              />
            ))}
          </ul>
        </>
      ) : null}
      <Group justify="flex-end" gap={8}>
        <Button variant="default" onClick={close}>
          {t(imported > 0 ? 'common.close' : 'common.cancel')}
        </Button>
        {items && ready.length > 0 ? (
          <Button
            disabled={chosen.length === 0}
            loading={busy}
            onClick={() => take(chosen.map(({ key }) => key))}
          >
            {t('drivers.import.take', { count: chosen.length })}
          </Button>
        ) : null}
      </Group>
      {question}
    </Stack>
  )
}

/** The selected archive, its content, and the import. */
function useImport(accountId: string | null) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [items, setItems] = useState<readonly ImportedDevice[]>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const send = async (archive: File, keys?: string) => {
    setBusy(true)
    setError(undefined)
    try {
      // Checked before sending: if the server stops reading, the upload looks like a connection error.
      if (archive.size > importLimits.archiveBytesMax) throw new ORPCError('BODY_TOO_LARGE', { status: 413 })
      const about = { file: archive, accountId: Number(accountId) }
      const reply = await client.devicedrivers.import(keys === undefined ? about : { ...about, keys })
      setItems(reply.items)
      if (keys !== undefined) await invalidateDrivers(cache)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return {
    file,
    items,
    busy,
    error,
    look: (archive: File | null) => {
      setFile(archive)
      setItems(undefined)
      setError(undefined)
      if (archive) void send(archive)
    },
    /** Packs a folder's files into an archive and reads its content. */
    pack: async (files: readonly FolderFile[]) => {
      setFile(null)
      setItems(undefined)
      setError(undefined)
      if (files.length === 0) return setError(new Error(t('drivers.import.folderEmpty')))
      setBusy(true)
      try {
        const folder = files[0]?.path.split('/')[0] ?? 'folder'
        const archive = new File([await archiveOf(files)], `${folder}.tar.gz`, { type: 'application/gzip' })
        setFile(archive)
        await send(archive)
      } catch (failure) {
        setError(failure)
        setBusy(false)
      }
    },
    take: (keys: readonly string[]) => {
      if (file) void send(file, keys.join('\n'))
    },
  }
}

/** Selects a local folder, if the browser supports it. */
function FolderButton(props: { disabled: boolean; onFolder: (files: readonly FolderFile[]) => void }) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  return (
    <Group gap={10}>
      <input
        ref={(element) => {
          // React does not support this attribute.
          element?.setAttribute('webkitdirectory', '')
          input.current = element
        }}
        type="file"
        hidden
        aria-label={t('drivers.import.folder')}
        onChange={(event) => {
          const files = filesOfFolder(event.currentTarget.files ?? [])
          // Lets the user select the same folder again after changing it.
          event.currentTarget.value = ''
          props.onFolder(files)
        }}
      />
      <Button
        variant="default"
        leftSection={<Icon of={IconFolder} size={16} />}
        disabled={props.disabled}
        onClick={() => input.current?.click()}
      >
        {t('drivers.import.folder')}
      </Button>
      <Text size="xs" c="dimmed">
        {t('drivers.import.folderHint')}
      </Text>
    </Group>
  )
}
