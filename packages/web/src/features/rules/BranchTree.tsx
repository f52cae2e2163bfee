import type { Branch, Condition } from '@leitstand/contract/rules'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { conditionKind, isConditionOp } from './conditions/index.ts'
import { childrenOf, matches } from './conditions/tree.ts'
import type { ComparisonOp, Words } from './conditions/types.ts'
import classes from './rules.module.css'

interface BranchTreeProps {
  branch: Branch
  /** names the metrics if its structure matches the branch */
  condition: Condition | null
  words: Words
}

/** The condition tree of an evaluation with a tick or a cross at every node, and the compared values. */
export function BranchTree({ branch, condition, words }: BranchTreeProps) {
  const known = condition && matches(branch, condition) ? condition : null
  return (
    <ul className={classes.branch}>
      <BranchNode branch={branch} condition={known} words={words} path="0" />
    </ul>
  )
}

/** `path` is the node's position in the tree: evaluation nodes have no other id. */
function BranchNode({ branch, condition, words, path }: BranchTreeProps & { path: string }) {
  const { t } = useTranslation()
  const nodes = condition ? childrenOf(condition) : []
  const comparison = condition && 'left' in condition ? condition : null
  const kind = isConditionOp(branch.op) ? conditionKind({ op: branch.op }) : null
  const plain = () =>
    branch.children === undefined && branch.op !== 'script'
      ? words.compare(
          branch.op as ComparisonOp,
          words.valued(comparison?.left, branch.left),
          words.valued(comparison?.right, branch.right),
        )
      : t(`rules.groups.${branch.op}`)
  const text = kind?.label?.(branch, condition, words) ?? plain()
  return (
    <li>
      <span className={classes.node} data-met={branch.met || undefined}>
        <span role="img" aria-label={t(branch.met ? 'rules.met' : 'rules.notMet')} className={classes.tick}>
          <Icon of={branch.met ? IconCheck : IconX} size={15} />
        </span>
        {text}
      </span>
      {branch.children && branch.children.length > 0 ? (
        <ul>
          {branch.children.map((child, index) => {
            const place = `${path}.${index}`
            return (
              <BranchNode
                key={place}
                branch={child}
                condition={nodes[index] ?? null}
                words={words}
                path={place}
              />
            )
          })}
        </ul>
      ) : null}
    </li>
  )
}
