import type { Condition } from '@leitstand/contract/rules'
import { ActionIcon, Button, Group, Menu, Select, Tooltip } from '@mantine/core'
import { IconDots, IconPlus, IconTrash } from '@tabler/icons-react'
import { type ComponentType, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { DragArea, DragHandle, DropGap } from './ConditionDrag.tsx'
import { conditionKind, conditionKinds, groupOps, rowOps } from './conditions/index.ts'
import {
  appendAt,
  childrenOf,
  convert,
  countNodes,
  nodeAt,
  type Path,
  removeAt,
  replaceAt,
  sentence,
} from './conditions/tree.ts'
import type { Comparison, ConditionKind, Words } from './conditions/types.ts'
import { newComparison } from './draft.ts'
import { OperandField } from './OperandField.tsx'
import classes from './rules.module.css'

interface BuilderProps {
  value: Condition
  onChange: (condition: Condition) => void
  aliases: readonly string[]
  words: Words
}

/** The condition tree as nested boxes: groups (and, or), negation, if-then, comparisons. */
export function ConditionBuilder({ value, onChange, aliases, words }: BuilderProps) {
  const { t } = useTranslation()
  const fresh = newComparison(aliases[0] ?? 'a')
  const titleOf = (path: Path) => sentence(nodeAt(value, path) ?? value, words)
  const tools: Tools = {
    aliases,
    titleOf,
    isMany: countNodes(value) > 2,
    fresh,
    replace: (path, next) => onChange(replaceAt(value, path, next)),
    append: (path, child) => onChange(appendAt(value, path, child)),
    remove: (path) => onChange(removeAt(value, path) ?? { op: 'and', conditions: [fresh] }),
  }
  return (
    <DragArea
      tree={value}
      onChange={onChange}
      titleOf={titleOf}
      groupOf={(group) => t(`rules.groups.${nodeAt(value, group)?.op ?? 'and'}`)}
    >
      <Node node={value} path={[]} tools={tools} />
    </DragArea>
  )
}

interface Tools {
  aliases: readonly string[]
  /** the condition at a path in words */
  titleOf: (path: Path) => string
  /** there is more than one, so that there is something to move */
  isMany: boolean
  fresh: Comparison
  replace: (path: Path, next: Condition) => void
  append: (path: Path, child: Condition) => void
  remove: (path: Path) => void
}

interface NodeProps {
  node: Condition
  path: Path
  tools: Tools
  /** its group is a list, in which it can be moved */
  isMovable?: boolean
}

function Node(props: NodeProps) {
  const Look = looks[conditionKind(props.node).look]
  return <Look {...props} />
}

function GroupBox({ node, path, tools, isMovable = false }: NodeProps) {
  const { t } = useTranslation()
  const { nested, leads = [], Fields } = conditionKind(node)
  return (
    <fieldset className={classes.group} data-op={node.op} aria-label={t(`rules.groups.${node.op}`)}>
      <div className={classes.groupHead}>
        {isMovable ? <DragHandle path={path} title={tools.titleOf(path)} /> : null}
        <Select
          size="xs"
          w={230}
          aria-label={t('rules.groupKind')}
          allowDeselect={false}
          data={groupOps.map((op) => ({ value: op, label: t(`rules.groups.${op}`) }))}
          value={node.op}
          onChange={(op) =>
            op === null ? undefined : tools.replace(path, convert(node, op as Condition['op'], tools.fresh))
          }
        />
        {Fields ? (
          <Suspense>
            <Fields condition={node} aliases={tools.aliases} onChange={(next) => tools.replace(path, next)} />
          </Suspense>
        ) : null}
        {path.length > 0 ? (
          <Tooltip label={t('rules.removeGroup')}>
            <RemoveButton size={26} label={t('rules.removeGroup')} onClick={() => tools.remove(path)} />
          </Tooltip>
        ) : null}
      </div>
      <div className={classes.groupBody}>
        {childrenOf(node).map((child, index, all) => (
          <div key={[...path, index].join('.')} className={classes.groupChild}>
            {nested ? <DropGap group={path} index={index} /> : null}
            {leads[index] === undefined ? null : <span className={classes.word}>{t(leads[index])}</span>}
            <Node
              node={child}
              path={[...path, index]}
              tools={tools}
              isMovable={nested !== undefined && tools.isMany}
            />
            {nested && index === all.length - 1 ? <DropGap group={path} index={all.length} isEnd /> : null}
          </div>
        ))}
      </div>
      {nested ? (
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
            onClick={() => tools.append(path, { op: nested, conditions: [tools.fresh] })}
          >
            {t('rules.addGroup')}
          </Button>
        </Group>
      ) : null}
    </fieldset>
  )
}

function ComparisonRow({ node, path, tools, isMovable = false }: NodeProps) {
  const { t } = useTranslation()
  const { Fields } = conditionKind(node)
  const to = (op: Condition['op']) => tools.replace(path, convert(node, op, tools.fresh))
  const operator = (
    <Select
      size="xs"
      className={classes.operator ?? ''}
      aria-label={t('rules.operator')}
      allowDeselect={false}
      data={rowOps.map((op) => ({ value: op, label: t(`rules.operators.${op}`) }))}
      value={node.op}
      onChange={(op) => (op === null ? undefined : to(op as Condition['op']))}
    />
  )
  return (
    <div className={classes.comparison}>
      {isMovable ? <DragHandle path={path} title={tools.titleOf(path)} /> : null}
      {Fields ? (
        <Suspense>
          <Fields condition={node} aliases={tools.aliases} onChange={(next) => tools.replace(path, next)}>
            {operator}
          </Fields>
        </Suspense>
      ) : null}
      {'left' in node ? (
        <>
          <OperandField
            label={t('rules.left')}
            value={node.left}
            aliases={tools.aliases}
            onChange={(left) => tools.replace(path, { ...node, left })}
          />
          {operator}
          <OperandField
            label={t('rules.right')}
            value={node.right}
            aliases={tools.aliases}
            onChange={(right) => tools.replace(path, { ...node, right })}
          />
        </>
      ) : null}
      <Menu withinPortal>
        <Menu.Target>
          <ActionIcon size={28} aria-label={t('rules.comparisonActions')}>
            <Icon of={IconDots} size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {groupOps.map((op) => {
            const { wrap } = conditionKinds[op]
            return wrap === undefined ? null : (
              <Menu.Item key={op} onClick={() => to(op)}>
                {t(wrap)}
              </Menu.Item>
            )
          })}
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

const looks: Record<ConditionKind<Condition>['look'], ComponentType<NodeProps>> = {
  group: GroupBox,
  comparison: ComparisonRow,
}
