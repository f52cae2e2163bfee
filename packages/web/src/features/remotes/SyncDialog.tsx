import type { RemoteField } from '@leitstand/contract/remote'
import { Alert, Button, Checkbox, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { type Device, invalidateDevices } from '../devices/index.ts'
import { shown } from './text.ts'

type Answer = Awaited<ReturnType<typeof client.remote.synchronize>>

/** Compares a device with its network server when opened; the user selects which differences to apply. */
export default function SyncDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [take, setTake] = useState<RemoteField[]>([])
  const compare = useMutation({
    mutationFn: (fields: RemoteField[]) => client.remote.synchronize({ id: device.id, take: fields }),
    onSuccess: () => {
      setTake([])
      return invalidateDevices(cache)
    },
  })
  const { mutate, data, error, isPending } = compare
  const isAsked = useRef(false)
  useEffect(() => {
    // Development mode mounts twice, and every comparison makes a request and an activity log entry.
    if (isAsked.current) return
    isAsked.current = true
    mutate([])
  }, [mutate])
  const system = t(`connectors.preset.${device.remote}.name`)
  return (
    <Modal opened onClose={onClose} title={t('devices.sync.title', { system })} size="lg" centered>
      <Stack gap="md">
        {isPending && !data ? <Loading lines={3} /> : null}
        {error ? <ErrorText error={error} /> : null}
        {data ? <Result answer={data} take={take} onTake={setTake} /> : null}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            {t('common.close')}
          </Button>
          {error ? (
            <Button loading={isPending} onClick={() => mutate([])}>
              {t('common.retry')}
            </Button>
          ) : null}
          {data && data.differences.length > 0 ? (
            <Button loading={isPending} disabled={take.length === 0} onClick={() => mutate(take)}>
              {t('devices.sync.take')}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Modal>
  )
}

function Result(props: { answer: Answer; take: RemoteField[]; onTake: (fields: RemoteField[]) => void }) {
  const { t } = useTranslation()
  const { answer, take, onTake } = props
  const { device, remote, taken, differences } = answer
  return (
    <>
      <Group gap="xl">
        <Fact label={t('devices.sync.nameThere')}>{remote.name || remote.remoteId}</Fact>
        <Fact label={t('devices.sync.seenThere')}>
          <RelativeTime time={remote.lastSeen} empty={t('devices.never')} />
        </Fact>
        <Fact label={t('devices.sync.seenHere')}>
          <RelativeTime time={device.lastSeen} empty={t('devices.never')} />
        </Fact>
      </Group>
      {taken.length > 0 ? (
        <Alert color="green" variant="light" icon={<Icon of={IconCheck} />}>
          {t('devices.sync.taken', {
            fields: taken.map((field) => t(`devices.sync.field.${field}`)).join(', '),
          })}
        </Alert>
      ) : null}
      {differences.length === 0 ? (
        <Text size="sm">{t('devices.sync.same')}</Text>
      ) : (
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('devices.sync.different')}</Table.Th>
              <Table.Th>{t('devices.sync.here')}</Table.Th>
              <Table.Th>{t('devices.sync.there')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences.map((field) => (
              <Table.Tr key={field}>
                <Table.Td>
                  <Checkbox
                    label={t(`devices.sync.field.${field}`)}
                    checked={take.includes(field)}
                    onChange={() =>
                      onTake(take.includes(field) ? take.filter((each) => each !== field) : [...take, field])
                    }
                  />
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {shown(field, device, device.title, t)}
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {shown(field, remote, remote.name, t)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  )
}
