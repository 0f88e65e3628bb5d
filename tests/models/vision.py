"""Convolutional models of our own writing: a UNet with skip connections, a residual net with BatchNorm in eval mode."""

import guardscope.core.torch_api as torch
import guardscope.core.torch_api.nn.functional as F
from guardscope.core.torch_api import nn


def double(c_in, c_out):
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, padding=1, bias=False), nn.BatchNorm2d(c_out), nn.ReLU(inplace=True),
                         nn.Conv2d(c_out, c_out, 3, padding=1), nn.GroupNorm(2, c_out), nn.SiLU())


class UNet(nn.Module):
    """Down twice, up twice; sizes that are not divisible are padded as the skips need."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([double(3, 4), double(4, 8), double(8, 16)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(16, 8, 2, stride=2), nn.ConvTranspose2d(8, 4, 2, stride=2)])
        self.merge = nn.ModuleList([double(16, 8), double(8, 4)])
        self.out = nn.Conv2d(4, 2, 1)

    def forward(self, x):
        skips = []
        for i, layer in enumerate(self.down):
            x = layer(x)
            if i < len(self.down) - 1:
                skips.append(x)
                x = F.max_pool2d(x, 2)
        for up, merge in zip(self.up, self.merge):
            skip = skips.pop()
            x = up(x)
            dy, dx = skip.shape[2] - x.shape[2], skip.shape[3] - x.shape[3]
            x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
            x = merge(torch.cat([skip, x], dim=1))
        return self.out(x)


class Residual(nn.Module):
    expansion = 2

    def __init__(self, c_in, c, stride=1):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(c_in, c, 1, bias=False), nn.BatchNorm2d(c)
        self.conv2, self.bn2 = nn.Conv2d(c, c, 3, stride, 1, groups=2, bias=False), nn.BatchNorm2d(c)
        self.conv3, self.bn3 = nn.Conv2d(c, c * self.expansion, 1, bias=False), nn.BatchNorm2d(c * self.expansion)
        self.shortcut = nn.Identity()
        if stride != 1 or c_in != c * self.expansion:
            self.shortcut = nn.Sequential(nn.Conv2d(c_in, c * self.expansion, 1, stride, bias=False),
                                          nn.BatchNorm2d(c * self.expansion))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = F.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += self.shortcut(x)
        return F.relu_(out)


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.Hardswish())
        self.stages = nn.Sequential(Residual(8, 4), Residual(8, 8, 2), Residual(16, 8))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(16, 5))

    def forward(self, x):
        return self.classifier(self.pool(self.stages(self.stem(x))))
