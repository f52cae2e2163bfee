import { Text, Tooltip } from '@mantine/core'
import classes from '../ui.module.css'

/** Tags in one line; those beyond `max` are counted and listed on hover. */
export function TagList({ tags, max = 3 }: { tags: readonly string[]; max?: number }) {
  if (tags.length === 0)
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    )
  const rest = tags.slice(max)
  return (
    <span className={classes.tags}>
      {tags.slice(0, max).map((tag) => (
        <span key={tag} className={classes.tag}>
          {tag}
        </span>
      ))}
      {rest.length > 0 ? (
        <Tooltip label={rest.join(', ')} multiline maw={320}>
          <span className={classes.tag}>+{rest.length}</span>
        </Tooltip>
      ) : null}
    </span>
  )
}
