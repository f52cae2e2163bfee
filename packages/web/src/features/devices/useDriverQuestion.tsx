import { List, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDialog, DependencyItems } from '../../ui/feedback/ConfirmDanger.tsx'
import type { Device, DriverChange } from './queries.ts'

interface Question {
  change: DriverChange
  answer: (save: boolean) => void
}

/** States listed by name in each group. */
const named = 20

/**
 * Confirms a driver change that removes states from a device; lists them and what uses the remaining ones.
 * @returns `ask`: whether to save, true at once if no state is affected; `dialog` to render
 */
export function useDriverQuestion(device: Device): {
  ask: (next: { driverId: number | null; driverVersion: number | null }) => Promise<boolean>
  dialog: ReactNode
} {
  const { t } = useTranslation()
  const [question, setQuestion] = useState<Question | null>(null)
  const ask = async ({
    driverId,
    driverVersion,
  }: {
    driverId: number | null
    driverVersion: number | null
  }) => {
    if (driverId === null || driverId === device.driverId) return true
    const change = await client.virtualdevice.driverChange({
      id: device.id,
      driverId,
      ...(driverVersion === null ? {} : { driverVersion }),
    })
    if (change.deleted.length + change.kept.length + change.retyped.length === 0) return true
    return new Promise<boolean>((resolve) =>
      setQuestion({
        change,
        answer: (save) => {
          setQuestion(null)
          resolve(save)
        },
      }),
    )
  }
  const dialog = question ? (
    <ConfirmDialog
      opened
      title={t('devices.driverChange.title')}
      text={t('devices.driverChange.text')}
      confirmLabel={t(
        question.change.deleted.length > 0 ? 'devices.driverChange.confirm' : 'devices.driverChange.save',
        { count: question.change.deleted.length },
      )}
      danger={question.change.deleted.length > 0}
      onCancel={() => question.answer(false)}
      onConfirm={() => question.answer(true)}
    >
      <Stack gap="sm">
        <States title={t('devices.driverChange.deleted')} states={question.change.deleted} />
        <States title={t('devices.driverChange.retyped')} states={question.change.retyped} />
        <States title={t('devices.driverChange.kept')} states={question.change.kept} />
        {question.change.kept.length > 0 ? (
          <Stack gap={4}>
            <Text size="sm" fw={550}>
              {t('devices.driverChange.usedBy')}
            </Text>
            <DependencyItems reply={question.change.uses} />
          </Stack>
        ) : null}
      </Stack>
    </ConfirmDialog>
  ) : null
  return { ask, dialog }
}

function States({ title, states }: { title: string; states: DriverChange['deleted'] }) {
  const { t } = useTranslation()
  if (states.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={550}>
        {title}
      </Text>
      <List size="sm" mt={4}>
        {states.slice(0, named).map(({ id, title: name, time }) => (
          <List.Item key={id}>
            {name}{' '}
            <Text span size="sm" c="dimmed">
              {time === null ? (
                t('devices.driverChange.noValue')
              ) : (
                <>
                  {t('devices.driverChange.lastValue')} <RelativeTime time={time} />
                </>
              )}
            </Text>
          </List.Item>
        ))}
      </List>
      {states.length > named ? (
        <Text size="sm" c="dimmed">
          {t('devices.driverChange.more', { count: states.length - named })}
        </Text>
      ) : null}
    </div>
  )
}
