import { IconPhoto } from '@tabler/icons-react'
import { Icon, type IconType } from './Icon.tsx'
import { usePicture } from './pictures.ts'
import classes from './thumbnail.module.css'

/** A small picture next to an object's name, which describes it; an icon if there is none. */
export function Thumbnail({
  fileId,
  icon = IconPhoto,
  height,
}: {
  fileId: number | null
  icon?: IconType
  /** px; the width fills the available space */
  height: number
}) {
  const { url } = usePicture(fileId === null ? undefined : { id: fileId })
  return (
    <span className={classes.thumbnail} style={{ height }}>
      {url ? <img src={url} alt="" className={classes.thumbnailImage} /> : <Icon of={icon} size={28} />}
    </span>
  )
}
