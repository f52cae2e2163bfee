import { type WarnChoice, type WarnStateInput, warnLimits } from '@leitstand/contract/warnapp'
import { isOutdated, levelOf, silentMinutesDefault } from '@leitstand/contract/warnLevels'
import { Group, NumberInput, Select, SimpleGrid, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatValue } from '../../lib/format.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import { ends, faultOf } from './draft.ts'
import { levelIcons, levelTones } from './levels.ts'
import classes from './warnapp.module.css'

interface StateLimitsProps {
  /** undefined: the state is gone */
  choice: WarnChoice | undefined
  state: WarnStateInput
  isTried: boolean
  onChange: (state: WarnStateInput) => void
  onRemove: () => void
}

/** A state of a monitor: its limits, and the level they give its newest value. */
export function StateLimits({ choice, state, isTried, onChange, onRemove }: StateLimitsProps) {
  const { t } = useTranslation()
  const { limits, silentMinutes } = state
  const fault = faultOf(limits)
  const name = choice?.title ?? `#${state.stateId}`
  return (
    <fieldset className={classes.state}>
      <legend className={classes.legend}>{name}</legend>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <NewestValue choice={choice} state={state} isJudged={fault === undefined} />
        <RemoveButton label={t('warnapp.removeState', { title: name })} onClick={onRemove} />
      </Group>
      {limits.kind === 'number' ? (
        <SimpleGrid cols={{ base: 2, sm: 4 }} spacing={8}>
          {ends.map((end) => (
            <NumberInput
              key={end}
              label={t(`warnapp.ends.${end}`)}
              value={limits[end] ?? ''}
              {...(choice?.unit ? { suffix: ` ${choice.unit}` } : {})}
              decimalSeparator={formatNumber(0.5).charAt(1)}
              onChange={(value) =>
                onChange({ ...state, limits: { ...limits, [end]: value === '' ? null : Number(value) } })
              }
            />
          ))}
        </SimpleGrid>
      ) : choice?.valueType === 'boolean' ? (
        <Select
          label={t('warnapp.badWhen')}
          data={[
            { value: 'true', label: t('common.yes') },
            { value: 'false', label: t('common.no') },
          ]}
          allowDeselect={false}
          value={limits.bad[0] ?? null}
          onChange={(value) =>
            onChange({ ...state, limits: { ...limits, bad: value === null ? [] : [value] } })
          }
        />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={8}>
          {(['bad', 'okay'] as const).map((which) => (
            <TagInput
              key={which}
              label={t(`warnapp.values.${which}`)}
              value={limits[which]}
              max={warnLimits.valuesMax}
              onChange={(values) => onChange({ ...state, limits: { ...limits, [which]: values } })}
            />
          ))}
        </SimpleGrid>
      )}
      {isTried && fault !== undefined ? (
        <Text size="sm" c="red" role="alert">
          {t(`warnapp.faults.${fault}`)}
        </Text>
      ) : null}
      <NumberInput
        label={t('warnapp.silentMinutes')}
        description={t('warnapp.silentMinutesHint')}
        placeholder={String(silentMinutesDefault)}
        min={1}
        max={warnLimits.silentMinutesMax}
        allowDecimal={false}
        value={silentMinutes ?? ''}
        onChange={(value) => onChange({ ...state, silentMinutes: value === '' ? null : Number(value) })}
      />
    </fieldset>
  )
}

function NewestValue({
  choice,
  state: { limits, silentMinutes },
  isJudged,
}: {
  choice: WarnChoice | undefined
  state: WarnStateInput
  isJudged: boolean
}) {
  const { t } = useTranslation()
  if (choice === undefined) return <Text size="sm">{t('warnapp.stateGone')}</Text>
  const { value, time, unit } = choice
  const watched = { limits, silentMinutes, value, time }
  const level = levelOf(watched, Date.now())
  return (
    <Group gap={12}>
      <Text size="sm" fw={600}>
        {value === null ? t('warnapp.noValue') : formatValue(value, unit)}
      </Text>
      {time === null ? null : (
        <Text size="sm" c="dimmed">
          <RelativeTime time={time} />
        </Text>
      )}
      {isJudged ? (
        <StatusBadge tone={levelTones[level]} icon={levelIcons[level]} label={t(`warnapp.level.${level}`)} />
      ) : null}
      {isJudged && time !== null && isOutdated(watched, Date.now()) ? (
        <Text size="sm" c="dimmed">
          {t('warnapp.tooOld')}
        </Text>
      ) : null}
    </Group>
  )
}
