import {
  HealthConfig,
  type HealthEntry,
  healthCategories,
  healthLimits,
  healthOperators,
  healthTypes,
} from '@leitstand/contract/health'
import {
  Autocomplete,
  Button,
  NumberInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconHeartbeat, IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { check } from '../../../lib/validation.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import {
  durationUnits,
  inMode,
  lookAt,
  looksAt,
  newEntry,
  readLimit,
  splitDuration,
  writeLimit,
} from './entries.ts'
import classes from './health.module.css'

interface HealthEditorProps {
  value: HealthConfig
  onChange: (value: HealthConfig) => void
  /** errors by path, from the last attempt to save */
  errors: Readonly<Record<string, unknown>>
  /** variables to choose from; others can be typed */
  variables: readonly string[]
  readOnly: boolean
  /** a driver can override its devices' own configuration */
  ofDriver: boolean
}

const faultsOf = check(HealthConfig)

/** The health conditions of a device; shows what is missing once a field loses focus. */
export function HealthEditor(props: HealthEditorProps) {
  const { t } = useTranslation()
  const { value, onChange, readOnly } = props
  const [asked, setAsked] = useState(false)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const live = faultsOf(value)
  const errorOf = (path: string) => {
    const tried = props.errors[path]
    if (left.has(path) || tried !== undefined) return live[path] ?? (tried as string | undefined)
    return undefined
  }
  const leave = (path: string) => setLeft((paths) => new Set(paths).add(path))
  const setMode = (expertMode: boolean) => {
    setAsked(false)
    setLeft(new Set())
    onChange(inMode(value, expertMode))
  }
  const isEmpty = value.entries.length === 0 && value.stateKeys.length === 0
  const add = (
    <Button
      variant="default"
      size="compact-md"
      leftSection={<Icon of={IconPlus} size={16} />}
      disabled={value.entries.length >= healthLimits.entriesMax}
      onClick={() => onChange({ ...value, entries: [...value.entries, newEntry(value.expertMode)] })}
    >
      {t('deviceHealth.add')}
    </Button>
  )
  return (
    <>
      <Section title={t('deviceHealth.mode')}>
        <Stack gap="sm">
          <Switch
            label={t('deviceHealth.expertMode')}
            description={t('deviceHealth.expertHint')}
            checked={value.expertMode}
            disabled={readOnly}
            onChange={() => (isEmpty ? setMode(!value.expertMode) : setAsked(true))}
          />
          {value.expertMode ? (
            <TagsInput
              label={t('deviceHealth.stateKeys')}
              description={t('deviceHealth.stateKeysHint')}
              data={[...props.variables]}
              value={value.stateKeys}
              maxTags={healthLimits.stateKeysMax}
              acceptValueOnBlur
              disabled={readOnly}
              error={firstOf(live, 'stateKeys')}
              onChange={(stateKeys) => onChange({ ...value, stateKeys })}
            />
          ) : null}
          {props.ofDriver ? (
            <Switch
              label={t('deviceHealth.applyToAll')}
              description={t('deviceHealth.applyToAllHint')}
              checked={value.applyToAllVD}
              disabled={readOnly}
              onChange={(event) => onChange({ ...value, applyToAllVD: event.currentTarget.checked })}
            />
          ) : null}
        </Stack>
      </Section>
      <Section
        title={t('deviceHealth.entries')}
        description={t('deviceHealth.entriesText')}
        actions={readOnly || value.entries.length === 0 ? undefined : add}
        flush
      >
        {value.entries.length === 0 ? (
          <EmptyState
            icon={IconHeartbeat}
            title={t('deviceHealth.none')}
            text={t('deviceHealth.noneText')}
            action={readOnly ? undefined : add}
            compact
          />
        ) : (
          <ol className={classes.entries}>
            {value.entries.map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity while they are edited
              <li key={index}>
                <EntryFields
                  entry={entry}
                  number={index + 1}
                  expertMode={value.expertMode}
                  variables={props.variables}
                  readOnly={readOnly}
                  errorOf={(field) => errorOf(`entries.${index}.${field}`)}
                  onLeave={(field) => leave(`entries.${index}.${field}`)}
                  onChange={(changed) => onChange({ ...value, entries: value.entries.with(index, changed) })}
                  onRemove={() => {
                    setLeft(new Set())
                    onChange({ ...value, entries: value.entries.toSpliced(index, 1) })
                  }}
                />
              </li>
            ))}
          </ol>
        )}
      </Section>
      <ConfirmDialog
        opened={asked}
        title={t('deviceHealth.modeTitle')}
        text={t('deviceHealth.modeText')}
        confirmLabel={t('deviceHealth.modeConfirm')}
        danger
        onConfirm={() => setMode(!value.expertMode)}
        onCancel={() => setAsked(false)}
      />
    </>
  )
}

const firstOf = (faults: Readonly<Record<string, string>>, prefix: string): string | undefined =>
  Object.entries(faults).find(([path]) => path === prefix || path.startsWith(`${prefix}.`))?.[1]

interface EntryFieldsProps {
  entry: HealthEntry
  number: number
  expertMode: boolean
  variables: readonly string[]
  readOnly: boolean
  errorOf: (field: string) => string | undefined
  onLeave: (field: string) => void
  onChange: (entry: HealthEntry) => void
  onRemove: () => void
}

function EntryFields(props: EntryFieldsProps) {
  const { t } = useTranslation()
  const { entry, number, expertMode, readOnly, onChange } = props
  const what = looksAt(entry, expertMode)
  const field = (name: string) => ({
    disabled: readOnly,
    error: props.errorOf(name),
    onBlur: () => props.onLeave(name),
  })
  return (
    <fieldset className={classes.entry}>
      <legend className={classes.legend}>{entry.identifier || t('deviceHealth.entry', { number })}</legend>
      {readOnly ? null : (
        <RemoveButton
          icon={IconX}
          className={classes.remove ?? ''}
          label={t('deviceHealth.remove', { name: entry.identifier || number })}
          onClick={props.onRemove}
        />
      )}
      <div className={classes.row}>
        <TextInput
          label={t('deviceHealth.identifier')}
          required
          spellCheck={false}
          value={entry.identifier}
          onChange={(event) => onChange({ ...entry, identifier: event.currentTarget.value })}
          {...field('identifier')}
        />
        <Select
          label={t('deviceHealth.category')}
          data={healthCategories.map((category) => ({
            value: category,
            label: t(`deviceHealth.categories.${category}`),
          }))}
          value={entry.category}
          onChange={(category) => category && onChange({ ...entry, category })}
          allowDeselect={false}
          {...field('category')}
        />
        <Select
          label={t('deviceHealth.type')}
          data={healthTypes.map((type) => ({ value: type, label: t(`health.${type}`) }))}
          value={entry.type}
          onChange={(type) => type && onChange({ ...entry, type })}
          allowDeselect={false}
          {...field('type')}
        />
        <Select
          label={t('deviceHealth.looksAt')}
          data={([expertMode ? 'expression' : 'value', 'age'] as const).map((each) => ({
            value: each,
            label: t(`deviceHealth.looks.${each}`),
          }))}
          value={what}
          onChange={(chosen) => chosen && chosen !== what && onChange(lookAt(entry, chosen))}
          allowDeselect={false}
          disabled={readOnly}
        />
      </div>
      {what === 'value' && entry.condition ? (
        <ConditionFields {...props} condition={entry.condition} />
      ) : null}
      {what === 'expression' ? (
        <Textarea
          label={t('deviceHealth.expression')}
          description={t('deviceHealth.expressionHint')}
          placeholder="battery < (temperature < 0 ? 30 : 20)"
          required
          autosize
          minRows={1}
          maxRows={8}
          spellCheck={false}
          classNames={{ input: classes.mono ?? '' }}
          value={entry.expression}
          onChange={(event) => onChange({ ...entry, expression: event.currentTarget.value })}
          {...field('expression')}
        />
      ) : null}
      {what === 'age' ? <AgeFields {...props} minutes={entry.olderThanDuration ?? 1} /> : null}
      <TextInput
        label={t('deviceHealth.description')}
        description={t('deviceHealth.descriptionHint')}
        value={entry.description}
        onChange={(event) => onChange({ ...entry, description: event.currentTarget.value })}
        {...field('description')}
      />
    </fieldset>
  )
}

type Condition = NonNullable<HealthEntry['condition']>

function ConditionFields(props: EntryFieldsProps & { condition: Condition }) {
  const { t } = useTranslation()
  const { entry, condition, readOnly } = props
  const change = (changed: Partial<Condition>) =>
    props.onChange({ ...entry, condition: { ...condition, ...changed } })
  // Keep the text as typed ("3." for 3) as long as its value is the same.
  const [typed, setTyped] = useState(writeLimit(condition.value))
  const text = readLimit(typed) === condition.value ? typed : writeLimit(condition.value)
  return (
    <div className={classes.row}>
      <Autocomplete
        label={t('deviceHealth.variable')}
        required
        spellCheck={false}
        data={[...props.variables]}
        value={condition.variable}
        disabled={readOnly}
        error={props.errorOf('condition.variable')}
        onBlur={() => props.onLeave('condition.variable')}
        onChange={(variable) => change({ variable })}
      />
      <Select
        label={t('deviceHealth.operator')}
        data={healthOperators.map((operator) => ({
          value: operator,
          label: t(`deviceHealth.operators.${operator}`),
        }))}
        value={condition.operator}
        onChange={(operator) => operator && change({ operator })}
        allowDeselect={false}
        disabled={readOnly}
      />
      <TextInput
        label={t('deviceHealth.value')}
        description={undefined}
        value={text}
        disabled={readOnly}
        error={props.errorOf('condition.value')}
        onBlur={() => props.onLeave('condition.value')}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          change({ value: readLimit(event.currentTarget.value) })
        }}
      />
    </div>
  )
}

function AgeFields(props: EntryFieldsProps & { minutes: number }) {
  const { t } = useTranslation()
  const { entry, minutes, readOnly } = props
  const [unit, setUnit] = useState(splitDuration(minutes).unit)
  const inUnit = minutes / durationUnits[unit]
  // Use another unit if this one does not divide the value (after an external change).
  const shown = Number.isInteger(inUnit) ? { amount: inUnit, unit } : splitDuration(minutes)
  const setDuration = (amount: number, by: keyof typeof durationUnits) =>
    props.onChange({ ...entry, olderThanDuration: Math.round(amount * durationUnits[by]) })
  return (
    <div className={classes.row}>
      <NumberInput
        label={t('deviceHealth.olderThan')}
        required
        min={1}
        allowDecimal={false}
        value={shown.amount}
        disabled={readOnly}
        error={props.errorOf('olderThanDuration')}
        onBlur={() => props.onLeave('olderThanDuration')}
        onChange={(amount) => setDuration(Number(amount) || 1, shown.unit)}
      />
      <Select
        label={t('deviceHealth.unit')}
        data={(['minute', 'hour', 'day'] as const).map((each) => ({
          value: each,
          label: t(`deviceHealth.units.${each}`),
        }))}
        value={shown.unit}
        allowDeselect={false}
        disabled={readOnly}
        onChange={(chosen) => {
          if (!chosen) return
          setUnit(chosen)
          setDuration(shown.amount, chosen)
        }}
      />
      <Autocomplete
        className={classes.wide ?? ''}
        label={t('deviceHealth.olderVariable')}
        placeholder={t('deviceHealth.anyPacket')}
        spellCheck={false}
        data={[...props.variables]}
        value={entry.olderThanVariable ?? ''}
        disabled={readOnly}
        error={props.errorOf('olderThanVariable')}
        onBlur={() => props.onLeave('olderThanVariable')}
        onChange={(variable) => props.onChange({ ...entry, olderThanVariable: variable || null })}
      />
    </div>
  )
}

/** An entry's condition as a sentence. */
export function useEntryText(): (entry: HealthEntry) => string {
  const { t } = useTranslation()
  return (entry) => {
    if (entry.condition !== null) {
      const { variable, operator, value } = entry.condition
      return `${variable} ${t(`deviceHealth.operators.${operator}`)} ${writeLimit(value)}`
    }
    if (entry.olderThanDuration === null) return entry.expression
    const { amount, unit } = splitDuration(entry.olderThanDuration)
    const duration = t(`deviceHealth.past.${unit}`, { count: amount })
    return entry.olderThanVariable === null
      ? t('deviceHealth.silentFor', { duration })
      : t('deviceHealth.oldFor', { duration, variable: entry.olderThanVariable })
  }
}

/** Shows an entry's rule to users who may not edit it. */
export function EntryRule({ entry }: { entry: HealthEntry }) {
  const text = useEntryText()
  return (
    <Text size="xs" c="dimmed" className={entry.expression === '' ? '' : (classes.mono ?? '')}>
      {text(entry)}
    </Text>
  )
}
