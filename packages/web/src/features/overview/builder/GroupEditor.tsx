import { overviewLimits } from '@leitstand/contract/overview'
import { Button, Group, SegmentedControl } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import classes from './builder.module.css'
import { ConditionEditor } from './ConditionEditor.tsx'
import { type Draft, type GroupDraft, isGroup, newCondition, newGroup } from './draft.ts'

interface GroupEditorProps {
  group: GroupDraft
  /** of the group, from 1 */
  depth: number
  faults: ReadonlySet<number>
  hasRoom: boolean
  onChange: (group: GroupDraft) => void
  /** replaces a part of the whole draft; null removes it */
  onPart: (id: number, part: Draft | null) => void
  onRemove?: () => void
}

/** A group of conditions: all or any of them must match. */
export function GroupEditor({ group, depth, faults, hasRoom, onChange, onPart, onRemove }: GroupEditorProps) {
  const { t } = useTranslation()
  const add = (part: Draft) => onChange({ ...group, items: [...group.items, part] })
  const other = group.word === 'and' ? 'or' : 'and'
  return (
    <fieldset className={classes.group} aria-label={t(`stateOverview.builder.${group.word}`)}>
      <Group justify="space-between" wrap="nowrap">
        <SegmentedControl
          size="xs"
          value={group.word}
          onChange={(word) => onChange({ ...group, word: word as GroupDraft['word'] })}
          aria-label={t('stateOverview.builder.join')}
          data={[
            { value: 'and', label: t('stateOverview.builder.and') },
            { value: 'or', label: t('stateOverview.builder.or') },
          ]}
        />
        {onRemove ? <RemoveButton label={t('stateOverview.builder.removeGroup')} onClick={onRemove} /> : null}
      </Group>
      {group.items.map((item) =>
        isGroup(item) ? (
          <GroupEditor
            key={item.id}
            group={item}
            depth={depth + 1}
            faults={faults}
            hasRoom={hasRoom}
            onChange={(next) => onPart(item.id, next)}
            onPart={onPart}
            onRemove={() => onPart(item.id, null)}
          />
        ) : (
          <ConditionEditor
            key={item.id}
            condition={item}
            isWrong={faults.has(item.id)}
            onChange={(next) => onPart(item.id, next)}
            onRemove={() => onPart(item.id, null)}
          />
        ),
      )}
      <Group gap={8}>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Icon of={IconPlus} size={14} />}
          disabled={!hasRoom}
          onClick={() => add(newCondition())}
        >
          {t('stateOverview.builder.addCondition')}
        </Button>
        {depth < overviewLimits.depthMax ? (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<Icon of={IconPlus} size={14} />}
            disabled={!hasRoom}
            onClick={() => add(newGroup(other))}
          >
            {t('stateOverview.builder.addGroup')}
          </Button>
        ) : null}
      </Group>
    </fieldset>
  )
}
