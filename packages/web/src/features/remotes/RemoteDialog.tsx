import type { ListedRemoteDevice } from '@leitstand/contract/remote'
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { useLeave } from '../../ui/forms/useLeave.tsx'
import { ImportForm } from './ImportForm.tsx'
import { pageSize, RemoteList } from './RemoteList.tsx'

/** Devices selected one by one, or all that a search finds. */
export type RemoteChoice = { remoteIds: string[] } | { search: string }

interface RemoteDialogProps {
  connectorId: number
  connectorName: string
  onClose: () => void
  /** one device, to continue with in the wizard */
  onTake: (device: ListedRemoteDevice) => void
  /** several devices, to be created in the background */
  onImport: (title: string, choice: RemoteChoice) => Promise<void>
}

/** Devices of the network server behind a connector, to create here; existing ones are marked. */
export default function RemoteDialog(props: RemoteDialogProps) {
  const { connectorId, connectorName, onClose, onTake, onImport } = props
  const { t } = useTranslation()
  const isPhone = useMediaQuery('(max-width: 600px)')
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 300)
  const [page, setPage] = useState(1)
  const [chosen, setChosen] = useState<ReadonlyMap<string, ListedRemoteDevice>>(new Map())
  const [importing, setImporting] = useState<RemoteChoice>()
  const { close, question } = useLeave(chosen.size > 0 || importing !== undefined, onClose)
  const list = useQuery(
    api.remote.devices.queryOptions({
      input: { id: connectorId, search, offset: (page - 1) * pageSize, limit: pageSize },
      placeholderData: keepPreviousData,
      // Every request goes to the network server.
      retry: false,
      staleTime: 30_000,
    }),
  )
  const toggle = (device: ListedRemoteDevice) => {
    const next = new Map(chosen)
    if (!next.delete(device.remoteId)) next.set(device.remoteId, device)
    setChosen(next)
  }
  const total = list.data?.total ?? 0
  const [only] = chosen.values()
  return (
    <Modal
      opened
      onClose={close}
      title={t('devices.remote.title', { name: connectorName })}
      size="xl"
      fullScreen={isPhone ?? false}
    >
      {importing ? (
        <ImportForm
          title={t('devices.remote.jobTitle', { name: connectorName }).slice(0, 100)}
          count={'remoteIds' in importing ? importing.remoteIds.length : total}
          onBack={() => setImporting(undefined)}
          onStart={(title) => onImport(title, importing)}
        />
      ) : (
        <Stack gap="sm">
          <TextInput
            aria-label={t('devices.remote.search')}
            placeholder={t('devices.remote.search')}
            leftSection={<Icon of={IconSearch} size={16} />}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setPage(1)
            }}
            data-autofocus
          />
          <RemoteList
            list={list}
            isFiltered={search !== ''}
            page={page}
            onPage={setPage}
            chosen={chosen}
            onToggle={toggle}
          />
          <Group justify="flex-end" gap={8}>
            <Button variant="subtle" color="gray" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button variant="default" disabled={total === 0} onClick={() => setImporting({ search })}>
              {t('devices.remote.createAll', { number: formatNumber(total, 0) })}
            </Button>
            {chosen.size > 1 ? (
              <Button onClick={() => setImporting({ remoteIds: [...chosen.keys()] })}>
                {t('devices.remote.createChosen', { count: chosen.size })}
              </Button>
            ) : (
              <Button disabled={only === undefined} onClick={() => only && onTake(only)}>
                {t('devices.remote.take')}
              </Button>
            )}
          </Group>
        </Stack>
      )}
      {question}
    </Modal>
  )
}
