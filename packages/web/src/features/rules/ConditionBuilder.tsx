import type { Condition, Operand } from '@leitstand/contract/rules'
import { ActionIcon, Button, Group, Menu, Select, TextInput, Tooltip } from '@mantine/core'
import { IconDots, IconPlus, IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/Icon.tsx'
import {
  appendAt,
  type Comparison,
  type ComparisonOp,
  childrenOf,
  comparisonOps,
  convert,
  type Path,
  removeAt,
  replaceAt,
} from './conditions.ts'
import { newComparison } from './draft.ts'
import { NumberField } from './NumberField.tsx'
import classes from './rules.module.css'

interface BuilderProps {
  value: Condition
  onChange: (condition: Condition) => void
  aliases: readonly string[]
}

/** The condition tree as nested boxes: groups (and, or), denial, if-then, comparisons. */
export function ConditionBuilder({ value, onChange, aliases }: BuilderProps) {
  const fresh = newComparison(aliases[0] ?? 'a')
  const tools: Tools = {
    aliases,
    fresh,
    replace: (path, next) => onChange(replaceAt(value, path, next)),
    append: (path, child) => onChange(appendAt(value, path, child)),
    remove: (path) => onChange(removeAt(value, path) ?? { op: 'and', conditions: [fresh] }),
  }
  return <Node node={value} path={[]} tools={tools} />
}

interface Tools {
  aliases: readonly string[]
  fresh: Comparison
  replace: (path: Path, next: Condition) => void
  append: (path: Path, child: Condition) => void
  remove: (path: Path) => void
}

function Node({ node, path, tools }: { node: Condition; path: Path; tools: Tools }) {
  if ('left' in node) return <ComparisonRow node={node} path={path} tools={tools} />
  return <GroupBox node={node} path={path} tools={tools} />
}

function GroupBox(props: { node: Exclude<Condition, Comparison>; path: Path; tools: Tools }) {
  const { node, path, tools } = props
  const { t } = useTranslation()
  const kinds = ['and', 'or', 'not', 'when'] as const
  return (
    <fieldset className={classes.group} data-op={node.op} aria-label={t(`rules.groups.${node.op}`)}>
      <Group gap={8} justify="space-between" wrap="nowrap">
        <Select
          size="xs"
          w={230}
          aria-label={t('rules.groupKind')}
          allowDeselect={false}
          data={kinds.map((op) => ({ value: op, label: t(`rules.groups.${op}`) }))}
          value={node.op}
          onChange={(op) =>
            op === null
              ? undefined
              : tools.replace(path, convert(node, op as (typeof kinds)[number], tools.fresh))
          }
        />
        {path.length > 0 ? (
          <Tooltip label={t('rules.removeGroup')}>
            <ActionIcon size={26} aria-label={t('rules.removeGroup')} onClick={() => tools.remove(path)}>
              <Icon of={IconTrash} size={15} />
            </ActionIcon>
          </Tooltip>
        ) : null}
      </Group>
      <div className={classes.groupBody}>
        {childrenOf(node).map((child, index) => (
          <div key={[...path, index].join('.')} className={classes.groupChild}>
            {node.op === 'when' ? (
              <span className={classes.word}>{t(index === 0 ? 'rules.if' : 'rules.then')}</span>
            ) : null}
            <Node node={child} path={[...path, index]} tools={tools} />
          </div>
        ))}
      </div>
      {'conditions' in node ? (
        <Group gap={8}>
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<Icon of={IconPlus} size={14} />}
            onClick={() => tools.append(path, tools.fresh)}
          >
            {t('rules.addComparison')}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<Icon of={IconPlus} size={14} />}
            onClick={() =>
              tools.append(path, { op: node.op === 'and' ? 'or' : 'and', conditions: [tools.fresh] })
            }
          >
            {t('rules.addGroup')}
          </Button>
        </Group>
      ) : null}
    </fieldset>
  )
}

function ComparisonRow({ node, path, tools }: { node: Comparison; path: Path; tools: Tools }) {
  const { t } = useTranslation()
  const wrap = (op: 'and' | 'or' | 'not' | 'when') => tools.replace(path, convert(node, op, tools.fresh))
  return (
    <div className={classes.comparison}>
      <OperandField
        label={t('rules.left')}
        value={node.left}
        aliases={tools.aliases}
        onChange={(left) => tools.replace(path, { ...node, left })}
      />
      <Select
        size="xs"
        className={classes.operator ?? ''}
        aria-label={t('rules.operator')}
        allowDeselect={false}
        data={comparisonOps.map((op) => ({ value: op, label: t(`rules.operators.${op}`) }))}
        value={node.op}
        onChange={(op) =>
          op === null ? undefined : tools.replace(path, { ...node, op: op as ComparisonOp })
        }
      />
      <OperandField
        label={t('rules.right')}
        value={node.right}
        aliases={tools.aliases}
        onChange={(right) => tools.replace(path, { ...node, right })}
      />
      <Menu withinPortal>
        <Menu.Target>
          <ActionIcon size={28} aria-label={t('rules.comparisonActions')}>
            <Icon of={IconDots} size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => wrap('not')}>{t('rules.wrapNot')}</Menu.Item>
          <Menu.Item onClick={() => wrap('or')}>{t('rules.wrapGroup')}</Menu.Item>
          <Menu.Item onClick={() => wrap('when')}>{t('rules.wrapWhen')}</Menu.Item>
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<Icon of={IconTrash} size={15} />}
            onClick={() => tools.remove(path)}
          >
            {t('rules.removeComparison')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

type OperandKind = 'number' | 'text' | 'boolean' | 'null'

function kindOf(value: string | number | boolean | null): OperandKind {
  if (value === null) return 'null'
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text'
}

/** One side of a comparison: a metric, or a constant of some kind. */
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
