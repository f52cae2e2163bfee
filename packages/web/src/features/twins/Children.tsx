import type { Twin, TwinSummary } from '@leitstand/contract/twins'
import { Button } from '@mantine/core'
import { IconHierarchy3, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { TagList } from '../../ui/display/TagList.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import { CreateTwin } from './CreateTwin.tsx'
import { levelEveryMs, twinIcon, twinPath } from './kinds.ts'
import { levelColumn } from './levels/levelColumn.tsx'
import { useTwinActions } from './TwinActions.tsx'
import classes from './twins.module.css'

/** The direct children of a twin. */
export function Children({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const [creating, setCreating] = useState(false)
  const { actionsOf, dialogs } = useTwinActions()
  const create = twin.editable ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => setCreating(true)}>
      {t('twins.createBelow')}
    </Button>
  ) : null
  return (
    <>
      <ListTable<TwinSummary>
        name="twinChildren"
        columns={[
          {
            key: 'title',
            title: t('twins.title'),
            sortable: true,
            csv: (child) => child.title,
            render: (child) => (
              <span className={classes.name}>
                <Icon of={twinIcon(child)} />
                <span>{child.title}</span>
                {child.disabled ? <StatusBadge tone="unknown" label={t('twins.isDisabled')} /> : null}
              </span>
            ),
          },
          levelColumn(t),
          {
            key: 'type',
            title: t('twins.type'),
            sortable: true,
            csv: (child) => t(`twins.types.${child.type}`),
            render: (child) => t(`twins.types.${child.type}`),
          },
          {
            key: 'tags',
            title: t('twins.tags'),
            hideBelow: 'sm',
            csv: (child) => child.tags.join(', '),
            render: (child) => <TagList tags={child.tags} />,
          },
          {
            key: 'children',
            title: t('twins.children'),
            align: 'right',
            hideBelow: 'xs',
            csv: (child) => child.childCount,
            render: (child) => child.childCount,
          },
          {
            key: 'states',
            title: t('twins.states'),
            align: 'right',
            csv: (child) => child.stateCount,
            render: (child) => child.stateCount,
          },
        ]}
        query={({ offset, limit, search, orderBy }) =>
          api.digitaltwin.list.queryOptions({
            input: {
              offset,
              limit,
              parentId: twin.id,
              ...(search ? { search } : {}),
              ...(orderBy ? { orderBy: orderBy as 'title' } : {}),
            },
            refetchInterval: levelEveryMs,
          })
        }
        rowKey={(child) => child.id}
        rowHref={(child) => twinPath(child.id)}
        rowMenu={actionsOf}
        isDimmed={(child) => child.disabled}
        defaultSort="title"
        searchPlaceholder={t('twins.searchPlaceholder')}
        header={(total) => (total ? <div className={classes.childrenHead}>{create}</div> : null)}
        empty={
          <EmptyState
            icon={IconHierarchy3}
            title={t('twins.noChildren')}
            text={t('twins.noChildrenText')}
            action={create}
          />
        }
      />
      {dialogs}
      {creating ? <CreateTwin parent={twin} onClose={() => setCreating(false)} /> : null}
    </>
  )
}
