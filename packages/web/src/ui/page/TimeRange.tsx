import { timeRanges } from '@leitstand/contract/timeRanges'
import { Button, Group, Popover, Stack, Text } from '@mantine/core'
import { IconCalendarTime, IconZoomOut } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatTimeShort } from '../../lib/format.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { type Range, rangeEnds, widerPreset } from '../../lib/range.ts'
import { Icon } from '../display/Icon.tsx'
import { Loading } from '../feedback/Loading.tsx'
import classes from './layout.module.css'

const OwnRange = onDemand(() => import('./OwnRange.tsx'))

interface TimeRangeProps {
  value: Range
  onChange: (range: Range) => void
}

/**
 * Picker for a time range: presets, a custom range with date and time, one step wider. Use with `useRange()`.
 */
export function TimeRange({ value, onChange }: TimeRangeProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const wider = widerPreset(value)
  const text =
    'preset' in value
      ? t(`timeRange.presets.${value.preset}`)
      : `${formatTimeShort(value.fromMs)} – ${formatTimeShort(value.toMs)}`
  const choose = (range: Range) => {
    onChange(range)
    setOpen(false)
  }
  return (
    <Group gap={6} wrap="nowrap">
      <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus withinPortal>
        <Popover.Target>
          <Button
            variant="default"
            leftSection={<Icon of={IconCalendarTime} />}
            aria-label={`${t('timeRange.label')}: ${text}`}
            onClick={() => setOpen(!open)}
          >
            {text}
          </Button>
        </Popover.Target>
        <Popover.Dropdown p="md">
          <div className={classes.range}>
            <div className={classes.rangePresets}>
              {timeRanges.map((preset) => (
                <Button
                  key={preset}
                  size="compact-sm"
                  variant={'preset' in value && value.preset === preset ? 'light' : 'subtle'}
                  color={'preset' in value && value.preset === preset ? 'accent' : 'gray'}
                  justify="flex-start"
                  fw={400}
                  onClick={() => choose({ preset })}
                >
                  {t(`timeRange.presets.${preset}`)}
                </Button>
              ))}
            </div>
            <Stack gap="xs" w={236}>
              <Text size="sm" fw={600}>
                {t('timeRange.own')}
              </Text>
              <Suspense fallback={<Loading lines={3} />}>
                <OwnRange initial={rangeEnds(value, Date.now())} onApply={choose} />
              </Suspense>
            </Stack>
          </div>
        </Popover.Dropdown>
      </Popover>
      {wider ? (
        <Button
          variant="default"
          px={9}
          aria-label={t('timeRange.wider')}
          title={t('timeRange.wider')}
          onClick={() => onChange({ preset: wider })}
        >
          <Icon of={IconZoomOut} />
        </Button>
      ) : null}
    </Group>
  )
}
