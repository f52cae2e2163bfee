import type { RemoteField } from '@leitstand/contract/remote'
import { Alert, Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
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
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
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
        <SimpleTable
          label={t('devices.sync.different')}
          rows={differences}
          rowKey={(field) => field}
          spacing={6}
          columns={[
            {
              key: 'field',
              title: t('devices.sync.different'),
              render: (field) => (
                <Checkbox
                  label={t(`devices.sync.field.${field}`)}
                  checked={take.includes(field)}
                  onChange={() =>
                    onTake(take.includes(field) ? take.filter((each) => each !== field) : [...take, field])
                  }
                />
              ),
            },
            {
              key: 'here',
              title: t('devices.sync.here'),
              wraps: true,
              render: (field) => shown(field, device, device.title, t),
            },
            {
              key: 'there',
              title: t('devices.sync.there'),
              wraps: true,
              render: (field) => shown(field, remote, remote.name, t),
            },
          ]}
        />
      )}
    </>
  )
}
