import type { Operand } from '@leitstand/contract/rules'
import { Select, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { NumberField } from './NumberField.tsx'
import classes from './rules.module.css'

type OperandKind = 'number' | 'text' | 'boolean' | 'null'

function kindOf(value: string | number | boolean | null): OperandKind {
  if (value === null) return 'null'
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text'
}

/** One side of a comparison: a metric or a constant. */
export function OperandField(props: {
  label: string
  value: Operand
  aliases: readonly string[]
  onChange: (operand: Operand) => void
  /** offers "no value" */
  nullable?: boolean
}) {
  const { label, value, aliases, onChange, nullable = true } = props
  const { t } = useTranslation()
  const constants: OperandKind[] = nullable
    ? ['number', 'text', 'boolean', 'null']
    : ['number', 'text', 'boolean']
  const chosen = 'metric' in value ? `m:${value.metric}` : `c:${kindOf(value.value)}`
  const known = 'metric' in value && !aliases.includes(value.metric) ? [value.metric, ...aliases] : aliases
  const choose = (next: string) => {
    if (next.startsWith('m:')) return onChange({ metric: next.slice(2) })
    const start = { 'c:number': 0, 'c:text': '', 'c:boolean': true, 'c:null': null }[next]
    onChange({ value: start ?? null })
  }
  return (
    <div className={classes.operand}>
      <Select
        size="xs"
        aria-label={label}
        allowDeselect={false}
        data={[
          { group: t('rules.metrics'), items: known.map((alias) => ({ value: `m:${alias}`, label: alias })) },
          {
            group: t('rules.constants'),
            items: constants.map((kind) => ({ value: `c:${kind}`, label: t(`rules.constantKinds.${kind}`) })),
          },
        ]}
        value={chosen}
        onChange={(next) => (next === null ? undefined : choose(next))}
      />
      {'metric' in value ? null : <ConstantField label={label} value={value.value} onChange={onChange} />}
    </div>
  )
}

function ConstantField(props: {
  label: string
  value: string | number | boolean | null
  onChange: (operand: Operand) => void
}) {
  const { value, onChange } = props
  const { t } = useTranslation()
  const label = t('rules.constantOf', { side: props.label })
  if (value === null) return null
  if (typeof value === 'boolean') {
    return (
      <Select
        size="xs"
        aria-label={label}
        allowDeselect={false}
        data={[
          { value: 'true', label: t('common.yes') },
          { value: 'false', label: t('common.no') },
        ]}
        value={String(value)}
        onChange={(next) => onChange({ value: next === 'true' })}
      />
    )
  }
  if (typeof value === 'number') return <NumberField label={label} value={value} onChange={onChange} />
  return (
    <TextInput
      size="xs"
      aria-label={label}
      value={value}
      maxLength={1000}
      onChange={(event) => onChange({ value: event.currentTarget.value })}
    />
  )
}
