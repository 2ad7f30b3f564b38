// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exports the VRAM of peerpath's emulated GPU as dma-bufs whose routing is decided by the kernel's p2pdma: an importer
 * gets bus addresses where peers can reach each other below one switch, an address that goes through the host bridge
 * where that is allowed, and is refused otherwise. The memory has no struct pages.
 *
 * Importers that never ask for peer-to-peer by name (net_devmem, io_uring's zero-copy receive) are served as well; the
 * price is that an export cannot be revoked, so the driver cannot be unbound by hand, and the module stays loaded as long as
 * an export exists.
 *
 * Binds to nothing by itself: set the device's driver_override to peerpath_vram, then write its address to
 * /sys/bus/pci/drivers_probe.
 */
#include <linux/dma-buf-mapping.h>
#include <linux/dma-buf.h>
#include <linux/idr.h>
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/pci-p2pdma.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "peerpath_vram.h"

/* The register page, see qemu-devices/README.md. */
#define REGISTERS_SIZE SZ_64K
#define REGISTER_MAGIC 0x00
#define REGISTER_VRAM_BAR 0x08
#define MAGIC 0x55475050

struct vram {
	struct pci_dev *pdev;
	struct p2pdma_provider *provider;
	struct miscdevice misc;
	phys_addr_t start;
	u64 size;
	int number;
};

struct vram_export {
	struct vram *vram;
	struct phys_vec range;
};

static DEFINE_IDA(numbers);

static struct sg_table *export_map(struct dma_buf_attachment *attachment, enum dma_data_direction direction)
{
	struct vram_export *export = attachment->dmabuf->priv;
	struct pci_dev *pdev = export->vram->pdev;
	struct sg_table *table;

	table = dma_buf_phys_vec_to_sgt(attachment, export->vram->provider, &export->range, 1, export->range.len,
					direction);
	if (IS_ERR(table))
		pci_info(pdev, "refused for %s: %ld\n", dev_name(attachment->dev), PTR_ERR(table));
	else
		pci_info(pdev, "mapped for %s: dma %pad, bar %pa\n", dev_name(attachment->dev),
			 &sg_dma_address(table->sgl), &export->range.paddr);
	return table;
}

static void export_unmap(struct dma_buf_attachment *attachment, struct sg_table *table,
			 enum dma_data_direction direction)
{
	dma_buf_free_sgt(attachment, table, direction);
}

static int export_mmap(struct dma_buf *dmabuf, struct vm_area_struct *area)
{
	struct vram_export *export = dmabuf->priv;

	/* dma_buf_mmap() has checked that the area lies within the buffer. */
	area->vm_page_prot = pgprot_writecombine(area->vm_page_prot);
	return io_remap_pfn_range(area, area->vm_start, PHYS_PFN(export->range.paddr) + area->vm_pgoff,
				  area->vm_end - area->vm_start, area->vm_page_prot);
}

static void export_release(struct dma_buf *dmabuf)
{
	struct vram_export *export = dmabuf->priv;

	pci_dev_put(export->vram->pdev);
	kfree(export);
}

static const struct dma_buf_ops export_ops = {
	.map_dma_buf = export_map,
	.unmap_dma_buf = export_unmap,
	.mmap = export_mmap,
	.release = export_release,
};

static struct dma_buf *make_export(struct vram *vram, const struct peerpath_vram_export *request)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct vram_export *export;
	struct dma_buf *dmabuf;
	u64 end;

	if (!request->length || request->pad || !PAGE_ALIGNED(request->offset | request->length) ||
	    check_add_overflow(request->offset, request->length, &end) || end > vram->size)
		return ERR_PTR(-EINVAL);
	export = kzalloc(sizeof(*export), GFP_KERNEL);
	if (!export)
		return ERR_PTR(-ENOMEM);
	export->vram = vram;
	export->range.paddr = vram->start + request->offset;
	export->range.len = request->length;
	info.ops = &export_ops;
	info.size = request->length;
	info.flags = O_RDWR | O_CLOEXEC;
	info.priv = export;
	pci_dev_get(vram->pdev);
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		pci_dev_put(vram->pdev);
		kfree(export);
	}
	return dmabuf;
}

static long vram_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct vram *vram = container_of(file->private_data, struct vram, misc);
	struct peerpath_vram_export request;
	struct dma_buf *dmabuf;
	int fd;

	if (command != PEERPATH_VRAM_EXPORT)
		return -ENOTTY;
	if (copy_from_user(&request, (void __user *)argument, sizeof(request)))
		return -EFAULT;
	dmabuf = make_export(vram, &request);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		dma_buf_put(dmabuf);
		return fd;
	}
	request.fd = fd;
	if (copy_to_user((void __user *)argument, &request, sizeof(request))) {
		put_unused_fd(fd);
		dma_buf_put(dmabuf);
		return -EFAULT;
	}
	fd_install(fd, dmabuf->file);
	return 0;
}

static const struct file_operations vram_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = vram_ioctl,
};

/* The number of VRAM's BAR, as the register page says; it is found by its size and its first word. */
static int find_vram(struct pci_dev *pdev)
{
	int bar, found = -ENODEV;

	for (bar = 0; bar < PCI_STD_NUM_BARS && found < 0; ++bar) {
		void __iomem *registers;

		if (pci_resource_len(pdev, bar) != REGISTERS_SIZE || !(pci_resource_flags(pdev, bar) & IORESOURCE_MEM))
			continue;
		registers = pci_iomap(pdev, bar, REGISTERS_SIZE);
		if (!registers)
			continue;
		if (ioread32(registers + REGISTER_MAGIC) == MAGIC)
			found = ioread32(registers + REGISTER_VRAM_BAR);
		pci_iounmap(pdev, registers);
	}
	return found < PCI_STD_NUM_BARS ? found : -ENODEV;
}

static int vram_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct vram *vram;
	int bar, error;

	error = pcim_enable_device(pdev);
	if (error)
		return error;
	pci_set_master(pdev);
	bar = find_vram(pdev);
	if (bar < 0)
		return dev_err_probe(&pdev->dev, bar, "not peerpath's GPU\n");
	error = pcim_p2pdma_init(pdev);
	if (error)
		return error;
	vram = devm_kzalloc(&pdev->dev, sizeof(*vram), GFP_KERNEL);
	if (!vram)
		return -ENOMEM;
	vram->pdev = pdev;
	vram->start = pci_resource_start(pdev, bar);
	vram->size = pci_resource_len(pdev, bar);
	vram->provider = pcim_p2pdma_provider(pdev, bar);
	if (!vram->provider)
		return -ENODEV;
	vram->number = ida_alloc(&numbers, GFP_KERNEL);
	if (vram->number < 0)
		return vram->number;
	vram->misc.minor = MISC_DYNAMIC_MINOR;
	vram->misc.name = devm_kasprintf(&pdev->dev, GFP_KERNEL, "peerpath_vram%d", vram->number);
	vram->misc.fops = &vram_fops;
	vram->misc.parent = &pdev->dev;
	error = vram->misc.name ? misc_register(&vram->misc) : -ENOMEM;
	if (error) {
		ida_free(&numbers, vram->number);
		return error;
	}
	pci_set_drvdata(pdev, vram);
	pci_info(pdev, "VRAM of %llu bytes as /dev/%s\n", vram->size, vram->misc.name);
	return 0;
}

static void vram_remove(struct pci_dev *pdev)
{
	struct vram *vram = pci_get_drvdata(pdev);

	misc_deregister(&vram->misc);
	ida_free(&numbers, vram->number);
}

static const struct pci_device_id no_ids[] = { {} };

static struct pci_driver vram_driver = {
	.name = "peerpath_vram",
	.id_table = no_ids,
	.probe = vram_probe,
	.remove = vram_remove,
	.driver = { .suppress_bind_attrs = true },
};
module_pci_driver(vram_driver);

MODULE_DESCRIPTION("VRAM of peerpath's emulated GPU through p2pdma");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("DMA_BUF");
