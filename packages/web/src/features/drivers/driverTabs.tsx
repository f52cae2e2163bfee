import { Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { TFunction } from 'i18next'
import type { DetailTab } from '../../ui/page/DetailPage.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { DownlinksTab } from './downlinks/DownlinksTab.tsx'
import { GoldenTab } from './GoldenTab.tsx'
import { HealthTab } from './health/HealthTab.tsx'
import { MetadataTab } from './MetadataTab.tsx'
import { ParserTab } from './parser/ParserTab.tsx'
import { driverSections } from './slots.ts'
import { VariablesTab } from './VariablesTab.tsx'
import type { DriverValues } from './values.ts'

interface TabProps {
  form: UseFormReturnType<DriverValues>
  t: TFunction
  /** absent for a new driver */
  driverId?: number
  /** the version shown */
  number?: number
  hasToken?: boolean
  readOnly: boolean
}

/** The tabs of the form, the same for a stored and a new driver. */
export function driverTabs({ form, t, driverId, number, hasToken, readOnly }: TabProps): DetailTab[] {
  const { variables, golden, health, downlinks } = form.getValues()
  const stored = driverId === undefined ? {} : { driverId }
  const shown = { ...stored, ...(number === undefined ? {} : { number }) }
  return [
    {
      key: 'metadata',
      label: t('drivers.tab.metadata'),
      content: (
        <Stack gap="md">
          <MetadataTab form={form} readOnly={readOnly} />
          {driverId === undefined ? null : <SlotParts slot={driverSections} props={{ driverId }} />}
        </Stack>
      ),
    },
    {
      key: 'parser',
      label: t('drivers.tab.parser'),
      content: <ParserTab form={form} readOnly={readOnly} hasToken={hasToken ?? false} {...shown} />,
    },
    {
      key: 'variables',
      label: t('drivers.tab.variables'),
      count: variables.length,
      content: <VariablesTab form={form} readOnly={readOnly} />,
    },
    {
      key: 'golden',
      label: t('drivers.tab.golden'),
      count: golden.length,
      content: <GoldenTab form={form} readOnly={readOnly} {...shown} />,
    },
    {
      key: 'health',
      label: t('drivers.tab.health'),
      count: health.entries.length,
      content: <HealthTab form={form} readOnly={readOnly} {...stored} />,
    },
    {
      key: 'downlinks',
      label: t('drivers.tab.downlinks'),
      count: downlinks.length,
      content: <DownlinksTab form={form} readOnly={readOnly} />,
    },
  ]
}
