import { ActionIcon, Button, Group, Select, Text, TextInput } from '@mantine/core'
import { IconArrowUp, IconPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { IconPicker } from '../../../ui/forms/IconPicker.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import mapClasses from '../../../ui/map/map.module.css'
import classes from './map.module.css'
import { markerColorNames, toneOfMarker } from './markers.ts'
import { type RuleDraft, raised } from './settingsDraft.ts'

const operators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const

interface MarkerRulesProps {
  rules: readonly RuleDraft[]
  states: { value: string; label: string }[]
  /** by path, e.g. `operators.0.value` */
  faults: Readonly<Record<string, string | undefined>>
  max: number
  onChange: (rules: RuleDraft[]) => void
  onAdd: () => void
}

/** Operators that give places a colour and an icon; the first that fits decides. */
export function MarkerRules({ rules, states, faults, max, onChange, onAdd }: MarkerRulesProps) {
  const { t } = useTranslation()
  return (
    <fieldset className={classes.rules}>
      <legend>{t('twins.map.settings.operators')}</legend>
      <Text size="sm" c="dimmed">
        {t('twins.map.settings.operatorsHint')}
      </Text>
      {rules.map((rule, at) => {
        const change = (part: Partial<RuleDraft>) => onChange(rules.with(at, { ...rule, ...part }))
        const number = at + 1
        return (
          <fieldset
            key={rule.rowId}
            className={classes.rule}
            aria-label={t('twins.map.settings.operator', { number })}
          >
            <Select
              label={t('twins.map.settings.state')}
              data={states}
              value={rule.state}
              onChange={(state) => change({ state })}
              searchable
              nothingFoundMessage={t('common.nothingFound')}
              error={faults[`operators.${at}.state`]}
            />
            <Select
              label={t('twins.map.settings.comparison')}
              data={operators.map((value) => ({ value, label: t(`twins.map.operators.${value}`) }))}
              value={rule.operator}
              allowDeselect={false}
              onChange={(operator) => change({ operator: operator as RuleDraft['operator'] })}
            />
            <TextInput
              label={t('twins.map.settings.value')}
              value={rule.value}
              maxLength={100}
              onChange={(event) => change({ value: event.currentTarget.value })}
              error={faults[`operators.${at}.value`]}
            />
            <Select
              label={t('twins.map.settings.color')}
              data={markerColorNames.map((value) => ({ value, label: t(`twins.map.colors.${value}`) }))}
              value={rule.color}
              allowDeselect={false}
              onChange={(color) => change({ color: color as RuleDraft['color'] })}
              leftSection={<ColorDot color={rule.color} />}
              renderOption={({ option }) => (
                <Group gap={8} wrap="nowrap">
                  <ColorDot color={option.value as RuleDraft['color']} />
                  {option.label}
                </Group>
              )}
            />
            <IconPicker
              label={t('twins.map.settings.icon')}
              placeholder={t('twins.map.settings.iconOfTwin')}
              value={rule.icon}
              onChange={(icon) => change({ icon })}
            />
            <Group gap={6} className={classes.ruleActions ?? ''}>
              <ActionIcon
                variant="default"
                disabled={at === 0}
                aria-label={t('twins.map.settings.earlier', { number })}
                onClick={() => onChange(raised(rules, at))}
              >
                <Icon of={IconArrowUp} size={16} />
              </ActionIcon>
              <RemoveButton
                label={t('twins.map.settings.removeOperator', { number })}
                onClick={() => onChange(rules.toSpliced(at, 1))}
              />
            </Group>
          </fieldset>
        )
      })}
      <Button
        variant="default"
        size="xs"
        disabled={rules.length >= max}
        leftSection={<Icon of={IconPlus} size={16} />}
        onClick={onAdd}
      >
        {t('twins.map.settings.addOperator')}
      </Button>
    </fieldset>
  )
}

function ColorDot({ color }: { color: RuleDraft['color'] }) {
  return (
    <span className={mapClasses.dot} style={{ marginTop: 0 }} data-tone={toneOfMarker(color)} aria-hidden />
  )
}
