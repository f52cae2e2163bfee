import { IconPhoto } from '@tabler/icons-react'
import { Icon, type IconType } from '../../ui/display/Icon.tsx'
import classes from './files.module.css'
import { usePicture } from './queries.ts'

/** The picture of a thing, small and beside its name, which says what it is; without one an icon. */
export function Thumbnail({
  fileId,
  icon = IconPhoto,
  height,
}: {
  fileId: number | null
  icon?: IconType
  /** px; it is as wide as there is room */
  height: number
}) {
  const { url } = usePicture(fileId === null ? undefined : { id: fileId })
  return (
    <span className={classes.thumbnail} style={{ height }}>
      {url ? <img src={url} alt="" className={classes.thumbnailImage} /> : <Icon of={icon} size={28} />}
    </span>
  )
}
