import { Button, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import classes from '../dashboards.module.css'

/** As in the contract. */
const thresholdsMax = 10

interface Threshold {
  value: number
  label: string
}

interface ThresholdsProps {
  value: Threshold[]
  onChange: (thresholds: Threshold[]) => void
}

/** Horizontal lines of a chart. */
export function Thresholds({ value, onChange }: ThresholdsProps) {
  const { t } = useTranslation()
  const replace = (at: number, change: { value?: number; label?: string }) =>
    onChange(value.map((each, index) => (index === at ? { ...each, ...change } : each)))
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {t('dashboards.thresholds')}
      </Text>
      <Stack gap={6}>
        {[...value.entries()].map(([index, threshold]) => (
          <div key={`threshold-${index}`} className={classes.threshold}>
            <NumberInput
              aria-label={t('dashboards.thresholdValue')}
              value={threshold.value}
              onChange={(entered) => replace(index, { value: Number(entered) || 0 })}
              decimalSeparator={t('common.decimal')}
              allowedDecimalSeparators={[',', '.']}
              hideControls
            />
            <TextInput
              aria-label={t('dashboards.thresholdLabel')}
              placeholder={t('dashboards.thresholdLabel')}
              value={threshold.label}
              maxLength={50}
              onChange={(event) => replace(index, { label: event.currentTarget.value })}
            />
            <RemoveButton
              icon={IconX}
              label={t('dashboards.removeThreshold')}
              onClick={() => onChange(value.filter((_, at) => at !== index))}
            />
          </div>
        ))}
        {value.length < thresholdsMax ? (
          <Button
            variant="subtle"
            size="compact-sm"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<Icon of={IconPlus} size={14} />}
            onClick={() => onChange([...value, { value: 0, label: '' }])}
          >
            {t('dashboards.addThreshold')}
          </Button>
        ) : null}
      </Stack>
    </div>
  )
}
