import { Button } from '@mantine/core'
import { IconVariable } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import type { TemplateState } from './queries.ts'
import { statesOfDriver } from './states.ts'

interface DriverStatesProps {
  driverId: string | null
  states: readonly TemplateState[]
  onAdd: (more: TemplateState[]) => void
}

/** Adds states for the driver's variables that have none yet. */
export function DriverStates({ driverId, states, onAdd }: DriverStatesProps) {
  const { t } = useTranslation()
  const driver = useQuery({
    ...api.devicedrivers.get.queryOptions({ input: { id: Number(driverId ?? 0) } }),
    enabled: driverId !== null,
  })
  const missing = statesOfDriver(driver.data?.variables ?? [], states)
  if (missing.length === 0) return null
  return (
    <Button
      variant="default"
      leftSection={<Icon of={IconVariable} size={16} />}
      onClick={() => onAdd(missing)}
    >
      {t('templates.fromDriver', { count: missing.length })}
    </Button>
  )
}
