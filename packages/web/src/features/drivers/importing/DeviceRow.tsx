import type { ImportedDevice } from '@leitstand/contract/driverImport'
import { Checkbox, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatValue } from '../../../lib/format.ts'
import { StatusBadge, type Tone } from '../../../ui/display/Badges.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import classes from './importing.module.css'
import { problemText, summaryOf } from './texts.ts'

const tones: Record<ImportedDevice['state'], Tone> = {
  ready: 'accent',
  exists: 'unknown',
  unusable: 'warning',
  imported: 'ok',
}

interface DeviceRowProps {
  item: ImportedDevice
  chosen: boolean
  onToggle: (on: boolean) => void
}

/** A device of an archive, with what was imported and what was skipped. */
export function DeviceRow({ item, chosen, onToggle }: DeviceRowProps) {
  const { t } = useTranslation()
  const { title, state, problem, differences, driverId } = item
  return (
    <li className={classes.row}>
      {state === 'ready' ? (
        <Checkbox
          checked={chosen}
          onChange={(event) => onToggle(event.currentTarget.checked)}
          aria-label={t('drivers.import.takeOne', { title })}
        />
      ) : (
        <span />
      )}
      <div className={classes.about}>
        <span className={classes.title}>
          {driverId === null ? (
            title
          ) : (
            <RouterLink to={`/virtual-device-drivers/${driverId}`}>{title}</RouterLink>
          )}
        </span>
        <Text size="xs" c="dimmed">
          {problem ? problemText(t, problem) : summaryOf(t, item)}
        </Text>
        {differences.map((each, index) => (
          // Titles of examples may repeat; their order never changes.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Text key={index} size="xs" c="dimmed" className={classes.difference ?? ''}>
            {each.title || t('drivers.import.example')}:{' '}
            {each.error ??
              each.differences
                .map(({ key, expected, actual }) =>
                  t('drivers.import.difference', {
                    key,
                    expected: formatValue(expected),
                    actual: formatValue(actual),
                  }),
                )
                .join('; ')}
          </Text>
        ))}
      </div>
      <StatusBadge tone={tones[state]} label={t(`drivers.import.state.${state}`)} />
    </li>
  )
}
