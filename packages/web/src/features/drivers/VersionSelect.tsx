import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'

interface VersionSelectProps {
  driverId: string | null
  /** null: the published one */
  value: string | null
  onChange: (version: string | null) => void
  disabled?: boolean
  error?: ReactNode
}

/** Selects the published version of a driver, or pins one. */
export function VersionSelect({ driverId, value, onChange, disabled = false, error }: VersionSelectProps) {
  const { t } = useTranslation()
  const driver = useQuery({
    ...api.devicedrivers.get.queryOptions({ input: { id: Number(driverId ?? 0) } }),
    enabled: driverId !== null,
  })
  const versions = driver.data?.versions ?? []
  return (
    <Select
      label={t('devices.field.driverVersion')}
      description={t('devices.form.versionHint')}
      disabled={disabled || driverId === null}
      value={value ?? ''}
      onChange={(chosen) => onChange(chosen || null)}
      allowDeselect={false}
      error={error}
      data={[
        {
          value: '',
          label: t('devices.form.followsPublished', { number: driver.data?.publishedVersion ?? '–' }),
        },
        ...versions.map(({ number, note }) => ({
          value: String(number),
          label: note ? `v${number} – ${note}` : `v${number}`,
        })),
      ]}
    />
  )
}
