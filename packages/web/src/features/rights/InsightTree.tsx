import { Badge, Button, Text, UnstyledButton } from '@mantine/core'
import { IconBuilding, IconChevronDown, IconChevronRight, IconHierarchy3 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { roleText } from '../../ui/accounts/roleText.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import type { Whose } from './InsightPanel.tsx'
import classes from './insight.module.css'
import { differenceOf, type InsightNode } from './insight.ts'

const pageSize = 20

interface TreeProps extends Whose {
  chosen: number
  onChoose: (scopeId: number) => void
}

/** Accounts and twins with a scope of their own, each level loaded when it is opened, page by page. */
export function InsightTree(props: TreeProps) {
  const { t } = useTranslation()
  return (
    <ul className={classes.tree} aria-label={t('users.insight.where')}>
      <Level {...props} parent={null} offset={0} />
    </ul>
  )
}

interface LevelProps extends TreeProps {
  parent: InsightNode | null
  offset: number
}

function Level({ parent, offset, ...props }: LevelProps) {
  const { t } = useTranslation()
  const [more, setMore] = useState(false)
  const { of, id } = props
  const page = useQuery(
    api.insight.tree.queryOptions({
      input: { of, id, offset, limit: pageSize, ...(parent ? { parentId: parent.scopeId } : {}) },
    }),
  )
  if (page.isError)
    return (
      <li>
        <ErrorText error={page.error} />
      </li>
    )
  if (!page.data)
    return (
      <li>
        <Loading lines={2} />
      </li>
    )
  const next = offset + pageSize
  return (
    <>
      {page.data.items.map((node) => (
        <Node key={node.scopeId} node={node} parent={parent} isFirst={parent === null} {...props} />
      ))}
      {page.data.total <= next ? null : more ? (
        <Level parent={parent} offset={next} {...props} />
      ) : (
        <li>
          <Button variant="subtle" size="compact-sm" onClick={() => setMore(true)}>
            {t('users.insight.more', { count: page.data.total - next })}
          </Button>
        </li>
      )}
    </>
  )
}

interface NodeProps extends TreeProps {
  node: InsightNode
  parent: InsightNode | null
  isFirst: boolean
}

function Node({ node, parent, isFirst, ...props }: NodeProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(isFirst)
  const difference = differenceOf(node, parent)
  return (
    <li>
      <div className={classes.node}>
        {node.hasChildren ? (
          <UnstyledButton
            className={classes.toggle ?? ''}
            aria-expanded={open}
            aria-label={t(open ? 'users.insight.close' : 'users.insight.open', { name: node.name })}
            onClick={() => setOpen(!open)}
          >
            <Icon of={open ? IconChevronDown : IconChevronRight} size={16} />
          </UnstyledButton>
        ) : (
          <span className={classes.toggle} />
        )}
        <UnstyledButton
          className={classes.name ?? ''}
          aria-current={props.chosen === node.scopeId ? 'true' : undefined}
          onClick={() => props.onChoose(node.scopeId)}
        >
          <Icon of={node.twinId === null ? IconBuilding : IconHierarchy3} size={16} />
          <span className={classes.title}>{node.name}</span>
          {node.rolesHere.map((role) => (
            <Badge key={`${role.key}-${role.name}`} variant="light">
              {roleText(t, role)}
            </Badge>
          ))}
          <Text span size="xs" c="dimmed">
            {difference.kind === 'same'
              ? t('users.insight.same')
              : difference.kind === 'none'
                ? t('users.insight.none')
                : t('users.insight.permissions', { count: difference.count })}
          </Text>
        </UnstyledButton>
      </div>
      {open && node.hasChildren ? (
        <ul className={classes.tree}>
          <Level parent={node} offset={0} {...props} />
        </ul>
      ) : null}
    </li>
  )
}
