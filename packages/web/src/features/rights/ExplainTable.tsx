import { subjects } from '@leitstand/contract/permissions'
import { Text } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { groupsOf, reasonText } from './explain.ts'
import type { Explanation } from './queries.ts'

/** Permissions in a scope, with the rule and role that decide each. */
export function ExplainTable({ items }: { items: readonly Explanation[] }) {
  const { t } = useTranslation()
  return (
    <SimpleTable
      label={t('users.explain.title')}
      rows={subjects.flatMap((subject) =>
        groupsOf(items.filter((item) => item.subject === subject)).map((group, index) => ({
          subject,
          group,
          isFirst: index === 0,
        })),
      )}
      rowKey={({ subject, group }) => `${subject}-${group.key}`}
      spacing={6}
      columns={[
        {
          key: 'what',
          title: t('users.explain.what'),
          render: ({ subject, isFirst }) => (
            // A card of its own names what it is about; in the table the row above does.
            <Text span size="sm" fw={550} {...(isFirst ? {} : { hiddenFrom: 'xs' })}>
              {t(`permissions.subjects.${subject.replace('.', '_')}`)}
            </Text>
          ),
        },
        {
          key: 'may',
          title: t('users.explain.may'),
          render: ({ group }) => (
            <Text span size="sm" c={group.allowed ? 'var(--health-ok)' : 'dimmed'}>
              <Icon of={group.allowed ? IconCheck : IconX} size={14} />{' '}
              {group.actions.map((action) => t(`permissions.actions.${action}`)).join(', ')}
            </Text>
          ),
        },
        {
          key: 'why',
          title: t('users.explain.why'),
          render: ({ group }) => (
            <Text span size="sm" c="dimmed">
              {reasonText(t, group.item)}
            </Text>
          ),
        },
      ]}
    />
  )
}
