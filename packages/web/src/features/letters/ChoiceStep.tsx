import { Select, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { TimeRange } from '../../ui/page/TimeRange.tsx'
import type { DecodeChoice, DecodeTarget } from './selection.ts'

interface ChoiceStepProps {
  target: DecodeTarget
  value: DecodeChoice
  onChange: (value: DecodeChoice) => void
}

/** Selects the packets and the driver version. */
export function ChoiceStep({ target, value, onChange }: ChoiceStepProps) {
  const { t } = useTranslation()
  const driver = useQuery({
    ...api.devicedrivers.get.queryOptions({ input: { id: target.driverId ?? 0 } }),
    enabled: target.driverId !== null,
  })
  const versions = [...(driver.data?.versions ?? [])].sort((a, b) => b.number - a.number)
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t(`decoding.intro.${target.kind}`, {
          count: target.kind === 'devices' ? target.ids.length : (driver.data?.deviceCount ?? 0),
        })}
      </Text>
      <div>
        <Text size="sm" fw={550} mb={4}>
          {t('decoding.period')}
        </Text>
        <TimeRange value={value.range} onChange={(range) => onChange({ ...value, range })} />
      </div>
      {target.driverId === null ? null : (
        <Select
          label={t('decoding.version')}
          maw={420}
          data={[
            { value: 'live', label: t('decoding.live') },
            ...versions.map(({ number, note, publishedAt }) => ({
              value: String(number),
              label: [
                `v${number}`,
                number === driver.data?.publishedVersion ? t('decoding.published') : '',
                publishedAt === null ? t('decoding.draft') : '',
                note,
              ]
                .filter(Boolean)
                .join(' · '),
            })),
          ]}
          value={String(value.version)}
          onChange={(chosen) =>
            onChange({ ...value, version: chosen === null || chosen === 'live' ? 'live' : Number(chosen) })
          }
          allowDeselect={false}
        />
      )}
      <Switch
        label={t('decoding.errorsOnly')}
        checked={value.errorsOnly}
        onChange={(event) => onChange({ ...value, errorsOnly: event.currentTarget.checked })}
      />
    </Stack>
  )
}
